"""What the sections of an environment's README say, from a run's records and the author's words.

A section is a function of a run's records, the author's words and the place of the README alone, so that a test can
say whether they agree. What a section lacks is named, and a section that has nothing to stand on is None. The
quickstart starts and flies the environment by names that were seen and by no others: the client is OpenEnv's generic
one, which takes any environment's actions as plain values; the action is the one that does least, made from the fields
that the map saw.
"""

from __future__ import annotations

import os
import pprint
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from gonogo.config import THEMES, Words
from gonogo.errors import Misuse
from gonogo.records.audit import AuditedTask
from gonogo.records.contract import ContractReport, RewardSource, SettableField
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.findings import FINDINGS, MENDS
from gonogo.records.inspection import RubricNode
from gonogo.reporting.environment_card import describe
from gonogo.reporting.run_contents import StationRecords, missing_record
from gonogo.reporting.templates import render
from gonogo.reporting.writeup import agent, drafted
from gonogo.rollouts.space import Space
from gonogo.wire import Action, JsonSchema

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
PORT = 8000
TYPE = re.compile(r"(integer|number|string|boolean|array)\b")
FORMS = {"pattern", "minItems"}
MOST_TASKS = 4
OWN, NEW = "### The environment's own reward", "### The reward of `gonogo reward`"


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


def written(parts: Iterable[str], *missing: str) -> Section:
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
    said = [] if isinstance(words, str) else list(agent(words))
    return written(
        [describe("environment.md.j2", material.records.map, "###", agent=said)], *missing
    )


def links(material: Material) -> Section:
    """Where a reader goes on: the author's links, the package's files, the record, OpenEnv."""
    missing = [material.words] if isinstance(material.words, str) else []
    rows = [*author_links(material), *package_links(material)]
    lines = [f"- [{name}]({to})" + (f": {about}" if about else "") for name, to, about in rows]
    return written(["\n".join(lines)], *missing)


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


def quickstart(material: Material) -> Section:
    """How to start and fly it."""
    if material.records.map is None:
        return Section(None, tuple(material.lacks("map")))
    found = material.records.map
    folder, app = folder_of(found), file_of(found, "app")
    port = (found.manifest or {}).get("port", PORT)
    url = f"http://localhost:{port}" if app else found.target
    action = simple_action(found) if "://" in url else None
    shown = pprint.pformat(action, width=72, sort_dicts=False).replace("\n", "\n" + " " * 26)
    said = [item for item in found.contract if item.id == "client_separation"]
    text = render(
        "readme_quickstart.md.j2",
        app=app,
        port=port,
        project=file_of(found, "project"),
        target=found.target if folder is None else os.path.relpath(folder, material.file.parent),
        url=repr(url),
        action=None if action is None else shown,
        clients=[name for item in said for name in item.evidence.classes or ()],
    )
    return written([text])


def file_of(found: ContractReport, role: str) -> str | None:
    """A file of the package by its role."""
    return found.packaging.files.get(role) if found.packaging else None


def simple_action(found: ContractReport) -> Action | None:
    """The action that does least; None where the map says too little of a field that is needed."""
    fields = found.action.fields
    if any(field.required and not typed(field) for field in fields):
        return None
    schema = {
        "properties": {field.name: schema_of(field) for field in fields},
        "required": [field.name for field in fields if field.required],
    }
    return Space(schema, found.action.tools).idle()


def typed(field: SettableField) -> bool:
    """Whether a value of the field can be made up: a choice, or something of a plain type without a form of its own."""
    plain = TYPE.match(field.words) is not None and not field.bounds.keys() & FORMS
    return bool(field.choices) or plain


def schema_of(field: SettableField) -> JsonSchema:
    """A field's schema, as far as the map says it."""
    if field.choices:
        return {"enum": list(field.choices)}
    kind = TYPE.match(field.words)
    return {**field.bounds, **({"type": kind[1]} if kind else {})}


def reward(material: Material) -> Section:
    """The reward's design."""
    records = material.records
    if records.map is None and records.audit is None and records.reward is None:
        return Section(None, tuple(material.lacks("audit")))
    weights = weights_of(records.map)
    only_mapped = records.map if records.audit is None else None
    text = render(
        "readme_reward.md.j2",
        card=records.map,
        components=[] if only_mapped is None else list(component_rows(only_mapped.reward)),
        audit=records.audit,
        meanings=FINDINGS,
        mends=MENDS,
        most_tasks=MOST_TASKS,
        review=lambda task: review_rows(task, weights),
        upgrade=records.reward,
    )
    return written([text], *material.lacks("audit"))


def component_rows(found: RewardSource) -> Iterator[tuple[str, str, str]]:
    """The rubric's parts, then what the breakdown names beside them."""
    leaves = list(leaves_of(found.rubric)) if found.rubric else []
    for name, weight, where in leaves:
        yield name, "-" if weight is None else f"{weight:g}", where
    known = {name.casefold() for name, _, _ in leaves}
    for part in found.breakdown:
        if part.name.casefold() not in known:
            place = part.place
            yield part.name, "-", f"`{place.file}:{place.line}`" if place else "-"


def leaves_of(rubric: RubricNode, weight: float = 1.0) -> Iterator[tuple[str, float | None, str]]:
    """Name, weight and place of the rubrics that have no others below them."""
    for child in rubric.children:
        share = None if child.weight is None else weight * child.weight
        if child.children:
            yield from leaves_of(child, 1.0 if share is None else share)
        else:
            yield child.class_name, share, f"`{child.file}:{child.line}`"


def weights_of(found: ContractReport | None) -> dict[str, float]:
    """Weights that the environment's rubric declares, by the name in lower case."""
    tree = found.reward.rubric if found else None
    leaves = leaves_of(tree) if tree else iter(())
    return {name.casefold(): weight for name, weight, _ in leaves if weight is not None}


def review_rows(task: AuditedTask, weights: dict[str, float]) -> Iterator[tuple[str, ...]]:
    """A row for each component; a weight that no rubric declares is the audit's, which says so where it is fitted."""
    fitted = {part.name: part.factor for part in task.components.components}
    how = " (fitted)" if task.components.rule == "fitted sum" else ""
    for row in task.review:
        name = row.component
        factor, weight = fitted.get(name), weights.get(name.casefold())
        said = "-" if factor is None else f"{factor:.3g}{how}"
        yield (
            name,
            said if weight is None else f"{weight:g}",
            row.measures,
            row.source,
            row.exploit,
        )
