"""The stations in order, and the records about a run as a whole: its page, the board of a poll, a pipeline's progress.

Which record each station leaves, what it needs from those before it, and how a verdict is said: a poll, a report and
whoever refuses a station that is called too early all read it here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from gonogo.records.audit import AuditReport
from gonogo.records.contract import ContractReport
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.probe import ProbeReport
from gonogo.records.provenance import Machine
from gonogo.records.record import Part, Record, StationRecord, Verdict, VerdictName, VerdictRecord
from gonogo.records.reward import RewardReport
from gonogo.records.submission import CheckReport, GradeReport, ThemeReport
from gonogo.records.training import TrainingReport


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


WORDS = {"GO": "GO", "NO_GO": "NO-GO", "HOLD": "HOLD"}
"""Verdicts of records as they are said."""


@dataclass(frozen=True, slots=True)
class Station:
    """A station.

    Attributes:
        record: What it leaves in the run's folder.
        needs: Stations whose records have to be there before it is called.
        statement: Whether it also needs a problem statement that the author has confirmed: what costs much does.
        asks: What it answers, in a few words.
    """

    record: type[VerdictRecord]
    needs: tuple[str, ...]
    statement: bool
    asks: str

    @property
    def name(self) -> str:
        """Its command."""
        return self.record.station

    @property
    def before(self) -> list[str]:
        """What has to be there before it is called, in words."""
        return [*self.needs, *(["a confirmed problem statement"] if self.statement else [])]


STATIONS = {
    station.name: station
    for station in (
        Station(ContractReport, (), False, "what it is, and whether it keeps its contract"),
        Station(ThemeReport, ("map",), False, "which theme it serves, and the problem statement"),
        Station(AuditReport, ("map",), False, "what it pays for nothing"),
        Station(GradeReport, ("map", "audit"), False, "OpenEnv's own checks"),
        Station(RewardReport, ("map", "audit"), True, "a reward that pays for nothing no more"),
        Station(ProbeReport, ("map",), True, "which model to train"),
        Station(TrainingReport, ("map", "audit"), True, "an agent"),
        Station(EvaluationReport, ("train",), False, "how much better the agent got"),
        Station(PageReport, ("evaluate",), False, "one page for a reader"),
        Station(CheckReport, ("map", "audit"), False, "whether it can be submitted"),
    )
}
"""In the order of the poll."""


class BoardRow(Part):
    """A station on the board."""

    station: str
    """Its name."""
    asks: str
    """What it answers."""
    verdict: VerdictName | None
    """None where it has not been asked."""
    said: str
    """The evidence in a line, or what is missing."""
    next: str | None
    """The command that changes it; None where it is GO."""


class PollReport(VerdictRecord):
    """What a poll leaves: the worst verdict over all stations, and the board."""

    kind: ClassVar[str] = "poll"
    version: ClassVar[int] = 1
    station: ClassVar[str] = "poll"

    board: tuple[BoardRow, ...]


class StationDone(Part):
    """A station that was begun, or is done."""

    fingerprint: str
    """Of everything that its outcome depends on."""
    verdict: Verdict | None = None
    """Absent until it is done."""
    seconds: float | None = None
    """How long it took; absent until it is done."""


class DemoReport(Record):
    """What a pipeline leaves."""

    kind: ClassVar[str] = "demo"
    version: ClassVar[int] = 1
    station: ClassVar[str] = "demo"

    stations: dict[str, StationDone]
    """By their names."""
    created: str
    python: str
    packages: dict[str, str]
    machine: Machine
