"""The map for a reader: the same tables in the terminal and in ``map.md``.

A table is a title, columns and rows of texts, made from the record and from nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from rich.console import Console

from gonogo.contract.items import CHECKS
from gonogo.contract.view import model_sheets
from gonogo.records.contract import (
    ContractReport,
    EpisodeEnds,
    MethodCode,
    ResetInterface,
    RewardSource,
    SourcePlace,
)
from gonogo.records.inspection import RubricNode, TaskSplit
from gonogo.records.tables import TextTable, print_sheets, task_text
from gonogo.records.tables import markdown as page
from gonogo.wire import JsonValue, TaskOptions

__all__ = ["markdown", "print_map"]

MOST_PLACES = 6
SHOWN_CHARS = 160
VERDICTS = {"pass": "pass", "fail": "FAIL", "na": "n/a"}


def print_map(report: ContractReport, console: Console) -> None:
    """Print the card, the contract, the findings and the verdict."""
    print_sheets(sheets(report), report, console)


def markdown(report: ContractReport) -> str:
    """The map as Markdown."""
    return page(f"Map of {report.environment}", sheets(report), report)


def sheets(report: ContractReport) -> Iterator[TextTable]:
    """Every table of the map."""
    yield TextTable("Card", ("what", "known"), list(card_rows(report)))
    yield TextTable(
        "Action", ("field", "what it takes", "needed", "default"), list(action_rows(report))
    )
    for title, fields in (("Observation", report.observation), ("State", report.state)):
        rows = [(f.name, f.words, shown(f.example), f.description or "") for f in fields]
        yield TextTable(title, ("field", "what it holds", "example", "description"), rows)
    yield from model_sheets(report.model)
    yield TextTable("Reward", ("component", "weight", "where"), list(reward_rows(report.reward)))
    yield TextTable("Contract", ("what holds", "verdict", "evidence"), list(contract_rows(report)))
    found = [(f.id, about(f.task), f.explanation, f.replay) for f in report.findings]
    yield TextTable("Findings", ("finding", "task", "what happened", "again"), found)


def card_rows(report: ContractReport) -> Iterator[tuple[str, str]]:
    """The card's lines."""
    yield "target", report.target
    yield "reset", method_text(report.reset.code, "initialises")
    yield "reset takes", parameters_text(report.reset)
    yield "step", method_text(report.step.code, "sets")
    changed = ", ".join(report.step.changed) or "nothing"
    yield "a step changed", f"{changed} (in {report.step.steps} steps)"
    yield "tools", ", ".join(tool["name"] for tool in report.action.tools) or "none"
    yield "ends seen", ends_text(report.terminal)
    yield "turns at most", limit_text(report.terminal)
    yield "ends decided", places_text(report.terminal.places)
    yield "reward", range_text(report.reward)
    yield "reward computed", places_text(report.reward.places)
    yield "splits", splits_text(report.tasks.splits)
    flown = (f"{task_text(task.options)} ({task.source})" for task in report.tasks.flown)
    yield "tasks flown", "; ".join(flown)
    if report.packaging is not None:
        for role, file in report.packaging.files.items():
            yield role, file or "absent"
    for said in report.unknown:
        yield "not known", said


def method_text(code: MethodCode | None, verb: str) -> str:
    """A method: where, what it says, what it sets."""
    if code is None:
        return "its code cannot be seen"
    sets = f"; {verb} {', '.join(code.sets)}" if code.sets else ""
    return f"{code.file}:{code.line} {code.doc}{sets}"


def parameters_text(reset: ResetInterface) -> str:
    """The reset's parameters on one line."""
    if reset.parameters is None:
        return "its signature cannot be seen"
    names = [p.name + (" (needed)" if p.required else "") for p in reset.parameters]
    return ", ".join([*names, *(["any other"] if reset.open else [])]) or "nothing"


def ends_text(terminal: EpisodeEnds) -> str:
    """The ends that were seen."""
    if terminal.steps is None:
        return f"none in {terminal.flown} flights"
    kinds = ", ".join(
        f"{end.episodes} {end_text(end.success, end.timeout)}" for end in terminal.ends
    )
    low, high = terminal.steps
    return f"{terminal.ended} of {terminal.flown} flights, after {low} to {high} steps: {kinds}"


def limit_text(terminal: EpisodeEnds) -> str:
    """The limit of turns that other stations take, and how many flights of the map did not live to see an end."""
    said = f"{terminal.limit}: {terminal.why}"
    if not (cut := terminal.cut):
        return said
    steps = f"{cut[0]}" if len(set(cut)) == 1 else f"{min(cut)} to {max(cut)}"
    return f"{said}; {len(cut)} of {terminal.sought} flights that looked for an end were broken off at step {steps}"


def end_text(success: bool | None, timeout: bool) -> str:
    """One kind of end."""
    said = {True: "succeeded", False: "failed", None: "without a word of success"}[success]
    return f"{said} by timeout" if timeout else said


def range_text(reward: RewardSource) -> str:
    """The declared and the seen range."""
    said = "no range declared"
    if reward.declared is not None:
        said = "declared [{:g}, {:g}]".format(*reward.declared)
    return said + ("" if reward.seen is None else ", seen {:g} to {:g}".format(*reward.seen))


def splits_text(splits: Sequence[TaskSplit] | None) -> str:
    """The splits with their numbers of tasks."""
    if splits is None:
        return "no task API"
    return ", ".join(f"{split.name} ({split.num_tasks})" for split in splits) or "none"


def places_text(places: Sequence[SourcePlace] | None) -> str:
    """Files and lines, the first few."""
    if places is None:
        return "its code cannot be seen"
    said = [place_text(place) for place in places[:MOST_PLACES]]
    more = len(places) - len(said)
    return "; ".join([*said, *([f"and {more} more"] if more else [])]) or "nowhere"


def place_text(place: SourcePlace | None) -> str:
    """A file and a line with the code there."""
    if place is None:
        return "its code was not found"
    said = f"{place.file}:{place.line} {place.text}"
    return f"{said} (if {place.when})" if place.when else said


def action_rows(report: ContractReport) -> Iterator[tuple[str, str, str, str]]:
    """One row a field."""
    for field in report.action.fields:
        said = field.words + (f". {field.description}" if field.description else "")
        yield field.name, said, "yes" if field.required else "no", shown(field.default)


def reward_rows(reward: RewardSource) -> Iterator[tuple[str, str, str]]:
    """The rubric tree, then the breakdown's fields."""
    if reward.rubric:
        yield from rubric_rows(reward.rubric, 0)
    for component in reward.breakdown:
        yield component.name, "", place_text(component.place)


def rubric_rows(rubric: RubricNode, depth: int) -> Iterator[tuple[str, str, str]]:
    """A rubric and those below it, indented."""
    name = f"{rubric.name}: " if rubric.name else ""
    weight = "" if rubric.weight is None else f"{rubric.weight:g}"
    yield f"{'· ' * depth}{name}{rubric.class_name}", weight, f"{rubric.file}:{rubric.line}"
    for child in rubric.children:
        yield from rubric_rows(child, depth + 1)


def contract_rows(report: ContractReport) -> Iterator[tuple[str, str, str]]:
    """One row a check: the worst answer over the tasks."""
    for item in report.contract:
        where = f"{task_text(item.task)}: " if item.task else ""
        yield CHECKS[item.id], VERDICTS[item.verdict], f"{where}{item.said}"


def about(options: TaskOptions | None) -> str:
    """The task that something is about; nothing where it is about none."""
    return "" if options is None else task_text(options)


def shown(value: JsonValue) -> str:
    """A value on one line, not too long."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split())
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…"
