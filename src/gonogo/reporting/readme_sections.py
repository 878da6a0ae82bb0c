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
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gonogo.config import THEMES, Words
from gonogo.errors import Misuse
from gonogo.records.audit import AuditedTask, AuditReport, HeadlineNumbers, NamedEstimate
from gonogo.records.contract import ContractReport, RewardSource, SettableField
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.findings import FINDINGS
from gonogo.records.inspection import RubricNode
from gonogo.records.reward import RewardReport
from gonogo.records.stations import WORDS
from gonogo.records.tables import decimal, estimate, table_text, task_text
from gonogo.reporting.environment_card import ending, interface, span, tasks
from gonogo.reporting.run_contents import StationRecords, missing_record
from gonogo.reporting.writeup import agent, drafted
from gonogo.rollouts.space import Space
from gonogo.wire import Action, JsonSchema

__all__ = [
    "Material",
    "Section",
    "environment",
    "folder_of",
    "links",
    "problem",
    "quickstart",
    "reward",
]

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
TURNS = 10
TYPE = re.compile(r"(integer|number|string|boolean|array)\b")
FORMS = {"pattern", "minItems"}
PLAY = """\
```python
from openenv.core import GenericEnvClient

with GenericEnvClient(base_url={url}).sync() as env:
    result = env.reset()
    print(result.observation)
    for _ in range({turns}):
        if result.done:
            break
        result = env.step({action})
        print(result.reward, result.observation)
```"""
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


def quickstart(material: Material) -> Section:
    """How to start and fly it."""
    if material.records.map is None:
        return Section(None, tuple(material.lacks("map")))
    return written(parts(material.records.map, material.file))


def parts(found: ContractReport, file: Path) -> Iterator[str]:
    """The paragraphs."""
    folder, url = folder_of(found), found.target
    target = url if folder is None else os.path.relpath(folder, file.parent)
    served = "://" in url
    if folder is not None and (app := file_of(found, "app")):
        port = (found.manifest or {}).get("port", PORT)
        url, served = f"http://localhost:{port}", True
        yield "Start the server; the paths are those from the folder of this file."
        yield "\n".join(["```bash", *server(found, target, app, port), "```"])
    if served and (action := simple_action(found)) is not None:
        shown = pprint.pformat(action, width=72, sort_dicts=False).replace("\n", "\n" + " " * 26)
        yield (
            "Fly a few steps from Python, in another terminal. The action is the one that does least; the fields "
            "are those above."
        )
        yield PLAY.format(url=repr(url), turns=TURNS, action=shown)
    for client in clients_of(found):
        yield f"The package has a client of its own, `{client}`."
    yield "Fly an episode by hand, and see what the reward pays for nothing:"
    named = shlex.quote(target)
    yield "\n".join(["```bash", f"gonogo fly {named}", f"gonogo audit {named}", "```"])


def server(found: ContractReport, target: str, app: str, port: int) -> Iterator[str]:
    """The lines that install the package and start its server."""
    if target != ".":
        yield f"cd {shlex.quote(target)}"
    if file_of(found, "project"):
        yield "pip install ."
    yield f"uvicorn {app} --port {port}"


def clients_of(found: ContractReport) -> list[str]:
    """The package's own clients, as the map imported them."""
    said = [item for item in found.contract if item.id == "client_separation"]
    return [name for item in said for name in item.evidence.classes or ()]


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
    records, parts = material.records, list[str]()
    if records.map is not None:
        parts += paid(records.map, by_component=records.audit is None)
    if records.audit is not None:
        parts += audited(records.audit, weights_of(records.map))
    if records.reward is not None:
        parts += upgraded(records.reward)
    if not parts:
        return Section(None, tuple(material.lacks("audit")))
    return written(iter(parts), *material.lacks("audit"))


def paid(card: ContractReport, *, by_component: bool) -> Iterator[str]:
    """What the map knows: the range, and without an audit the components with their weights."""
    found = card.reward
    said = "is not declared" if found.declared is None else f"is {span(found.declared)}"
    yield f"The range of an episode's reward {said}."
    if by_component and (rows := list(component_rows(found))):
        yield table_text(("component", "weight", "where"), rows)


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


def audited(record: AuditReport, weights: dict[str, float]) -> Iterator[str]:
    """The audit's verdict and findings, then its review and figures, task by task."""
    yield OWN
    flown = f"{record.flown.episodes} episodes, {record.flown.steps} steps"
    more = "" if flown in record.reason else f" ({flown} were flown)"
    yield f"`gonogo audit` says {WORDS[record.verdict.name]}: {record.reason}{more}."
    if record.findings:
        yield "\n".join(
            f"- **{finding.id}**: {FINDINGS[finding.id]}. {finding.explanation}."
            for finding in record.findings
        )
    for task in record.tasks[:MOST_TASKS]:
        if len(record.tasks) > 1:
            yield f"Task `{task_text(task.task)}`:"
        if not task.broken_off:
            columns = ("component", "weight", "what it measures", "from", "cheapest exploit")
            yield table_text(columns, review_rows(task, weights))
        yield table_text(("figure", "value"), figure_rows(task.numbers))
    if (left := len(record.tasks) - MOST_TASKS) > 0:
        yield f"{left} more tasks stand in `audit.json`."


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


def figure_rows(numbers: HeadlineNumbers) -> Iterator[tuple[str, str]]:
    """The audit's numbers about a task."""
    nothing, order = numbers.paid_for_nothing, numbers.failure_out_earns_success
    reached = numbers.reachability
    if nothing is not None:
        yield "paid for nothing, as a share of a success", by(nothing)
    if order is not None:
        yield "a failure out-earns a success, on the same seed", decimal(order.same_seed)
    yield "best return of a failure", decimal(numbers.best_failing_return)
    yield "best return that is known", decimal(numbers.best_known_return)
    if reached is not None:
        yield "success is reached", by(reached)


def by(value: NamedEstimate) -> str:
    """A mean with its interval and whose it is."""
    return f"{estimate(value)} by {value.policy}"


def upgraded(record: RewardReport) -> Iterator[str]:
    """The reward that was written from the audit: components, guards, the exploits that run into them, both sides."""
    yield NEW
    yield f"{WORDS[record.verdict.name]}: {record.reason}."
    yield table_text(("component", "weight", "guards"), guard_rows(record))
    yield "Exploits that were flown, what each is paid, and what it would be paid without its guard:"
    columns = ("component", "exploit", "from", "guard", "paid", "without the guard")
    yield table_text(columns, case_rows(record))
    several = len({task_text(row.task) for row in record.sides}) > 1
    yield table_text(
        (*(("task",) if several else ()), "figure", "own reward", "this reward"),
        side_rows(record, several),
    )


def guard_rows(record: RewardReport) -> Iterator[tuple[str, ...]]:
    """A row for each component."""
    for part in record.components:
        guards = (f"`{name}`: {said}" for name, said in part.guards.items())
        yield part.name, f"{part.weight:g}", " ".join(guards)


def case_rows(record: RewardReport) -> Iterator[tuple[str, ...]]:
    """A row for each exploit."""
    for part in record.components:
        for case in part.cases:
            paid = decimal(case.guarded), decimal(case.unguarded)
            yield part.name, case.exploit, case.origin, f"`{case.guard}`", *paid


def side_rows(record: RewardReport, several: bool) -> Iterator[tuple[str, ...]]:
    """The audit's numbers by both rewards, then both verdicts."""
    for row in record.sides:
        task = (task_text(row.task),) if several else ()
        yield *task, row.number, decimal(row.before), decimal(row.after)
    both = (WORDS[side.verdict.name] for side in (record.before, record.after))
    yield *(("all",) if several else ()), "audit", *both
