"""Sections of an environment's README from the map and the author's words: problem, environment, links.

A section is a function of a run's records, the author's words and the place of the README alone, so that a test can
say whether they agree. What a section lacks is named, and a section that has nothing to stand on is None.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gonogo.config import THEMES, Words
from gonogo.errors import Misuse
from gonogo.records.contract import ContractReport
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.stations import WORDS
from gonogo.reporting.author import agent, drafted
from gonogo.reporting.environment_card import ending, interface, tasks
from gonogo.reporting.gather import StationRecords, missing_record

__all__ = ["Material", "Section", "environment", "folder_of", "links", "problem"]

OPENENV = "https://github.com/huggingface/OpenEnv"
ANSWERS = {
    "space": "The Space",
    "notebook": "The notebook that trains",
    "writeup": "The writeup",
    "video": "The video",
    "tracker": "The training's figures",
}
FILES = {
    "openenv.yaml": "OpenEnv's manifest",
    "models.py": "action, observation and state",
    "client.py": "the client",
    "server/Dockerfile": "the container image",
}


@dataclass(frozen=True, slots=True)
class Section:
    """A section as it can be written now.

    Attributes:
        text: Markdown without the heading; None where what it rests on is missing.
        missing: What is not there and should be, in words.
    """

    text: str | None
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Material:
    """What sections are written from.

    Attributes:
        records: A run's.
        words: The author's, or in a sentence what they lack.
        file: The README; links are relative to it.
        plots: Folder of the published evaluation.
    """

    records: StationRecords
    words: Words | str
    file: Path
    plots: Path

    def lacks(self, *stations: str) -> list[str]:
        """Records that are not there, in words."""
        return [missing_record(name) for name in stations if name not in self.records.by_station]


def written(parts: Iterator[str], *missing: str) -> Section:
    """A section of some paragraphs."""
    text = "\n\n".join(part.strip() for part in parts)
    # What a record or an author says must not end the section that it stands in.
    return Section(text.replace("<!--", "&lt;!--") + "\n", missing)


def problem(material: Material) -> Section:
    """The capability gap, why a reader will remember it, and the theme."""
    words = material.words
    if isinstance(words, str):
        return Section(None, (words,))
    scored = material.records.theme
    theme = words.theme or (None if scored is None else scored.theme)
    missing = [] if theme is not None else material.lacks("theme")
    return written(problem_parts(words, theme), *missing)


def problem_parts(words: Words, theme: str | None) -> Iterator[str]:
    """The paragraphs."""
    yield words.statement.gap
    yield words.statement.remember
    if theme is not None:
        claim = words.claim(theme)
        said = [each.reason for each in (claim.maps, claim.trains) if each.answer] if claim else []
        yield " ".join([f"**Theme {theme}: {THEMES[theme].lower()}.**", *said])
    if said_by := drafted(words):
        yield f"*{said_by[0].upper()}{said_by[1:]}.*"


def environment(material: Material) -> Section:
    """What an agent observes, decides and does, the fields, the tasks, how an episode ends."""
    if material.records.map is None:
        return Section(None, tuple(material.lacks("map")))
    words = material.words
    missing = [words] if isinstance(words, str) else []
    return written(environment_parts(material.records.map, words), *missing)


def environment_parts(found: ContractReport, words: Words | str) -> Iterator[str]:
    """The paragraphs and tables."""
    if isinstance(words, Words):
        yield from agent(words)
    yield from interface(found, "###")
    yield from tasks(found, "###")
    yield from ending(found, "###")
    yield f"Contract: {WORDS[found.verdict.name]}, {found.reason}."


def links(material: Material) -> Section:
    """Where a reader goes on: the author's links, the package's files, the record, OpenEnv."""
    missing = [material.words] if isinstance(material.words, str) else []
    rows = [*author_links(material), *package_links(material)]
    lines = [f"- [{name}]({to})" + (f": {about}" if about else "") for name, to, about in rows]
    return written(iter(["\n".join(lines)]), *missing)


def author_links(material: Material) -> Iterator[tuple[str, str, str]]:
    """Name, address and explanation of what the author links.

    Raises:
        Misuse: A file is not there.
    """
    if isinstance(material.words, str):
        return
    for name, to in material.words.links.model_dump().items():
        if to and "://" not in to:
            if not Path(to).is_file():
                raise Misuse(
                    f"links.{name} must be an address, or a file from where the command is given, not {to!r}"
                )
            to = seen_from(material.file, Path(to))
        if to:
            yield ANSWERS[name], to, ""


def package_links(material: Material) -> Iterator[tuple[str, str, str]]:
    """Name, address and explanation of the package's files, the record of the results, and OpenEnv."""
    folder = Path(next(iter(material.records.by_station.values())).target)
    for name, about in FILES.items():
        if (folder / name).is_file():
            yield f"`{name}`", seen_from(material.file, folder / name), about
    if material.records.evaluation is not None:
        record = EvaluationReport.path(material.plots)
        yield f"`{record.name}`", seen_from(material.file, record), "what the results come from"
    yield "OpenEnv", OPENENV, "the interface that this environment has"


def folder_of(found: ContractReport) -> Path | None:
    """The environment's folder; None where it is a class or a server."""
    return None if found.packaging is None else Path(found.target)


def seen_from(file: Path, other: Path) -> str:
    """A path relative to a file's folder, as a link has it."""
    return Path(os.path.relpath(other, file.parent)).as_posix()
