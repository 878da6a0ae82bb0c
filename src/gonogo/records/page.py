"""What ``gonogo report`` leaves: which page it wrote, from which records, and what else was asked for."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from gonogo.records.record import Part, StationRecord, VerdictName

__all__ = [
    "EmbeddedEpisode",
    "Film",
    "PageFile",
    "PageReport",
    "SourceRecord",
    "WrittenReadme",
    "WrittenWriteup",
]


class SourceRecord(Part):
    """A record that the page was made from."""

    schema_name: Annotated[str, Field(validation_alias="schema", serialization_alias="schema")]
    digest: str
    """Of its content."""
    verdict: VerdictName


class EmbeddedEpisode(Part):
    """An episode that can be replayed or read on the page."""

    policy: str
    index: int
    shown: str
    """How: ``replay`` or ``transcript``."""


class PageFile(Part):
    """The page."""

    file: str
    bytes: int
    sha256: str


class WrittenReadme(Part):
    """The README of the environment."""

    file: str
    sections: tuple[str, ...]
    """Those that were written."""
    missing: tuple[str, ...]
    """What the others lack, in words."""


class WrittenWriteup(Part):
    """The mini-blog."""

    file: str
    words: int
    """How many it has."""


class Film(Part):
    """The film of one task flown by both agents."""

    file: str
    bytes: int
    seconds: float
    task: int
    """Its index."""


class PageReport(StationRecord):
    """One page for a reader, made from a run's records."""

    kind: ClassVar[str] = "report"
    version: ClassVar[int] = 1
    station: ClassVar[str] = "report"

    missing: tuple[str, ...]
    """What is not there and should be, in words."""
    records: dict[str, SourceRecord]
    """By file."""
    embedded: tuple[EmbeddedEpisode, ...]
    page: PageFile
    readme: WrittenReadme | None = None
    writeup: WrittenWriteup | None = None
    video: Film | None = None
