"""The map for a reader: the same tables in the terminal and in ``map.md``.

A table is a title, columns and rows of texts, made from the record and from nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console

from gonogo.contract.items import CHECKS
from gonogo.contract.view import model_sheets
from gonogo.records.tables import TextTable, print_sheets, task_text
from gonogo.records.tables import markdown as page
from gonogo.rollout.types import Json
from gonogo.wire import TaskOptions

__all__ = ["markdown", "print_map"]

MOST_PLACES = 6
SHOWN_CHARS = 160
VERDICTS = {"pass": "pass", "fail": "FAIL", "na": "n/a"}


def print_map(record: Json, console: Console) -> None:
    """Print the card, the contract, the findings and the verdict."""
    print_sheets(sheets(record), record, console)


def markdown(record: Json) -> str:
    """The map as Markdown."""
    return page(f"Map of {record['environment']}", sheets(record), record)


def sheets(record: Json) -> Iterator[TextTable]:
    """Every table of the map."""
    yield TextTable("Card", ("what", "known"), list(card_rows(record)))
    yield TextTable(
        "Action", ("field", "what it takes", "needed", "default"), list(action_rows(record))
    )
    for part in ("observation", "state"):
        rows = [
            (f["name"], f["words"], shown(f["example"]), f["description"] or "")
            for f in record[part]
        ]
        yield TextTable(
            part.capitalize(), ("field", "what it holds", "example", "description"), rows
        )
    yield from model_sheets(record["model"])
    yield TextTable("Reward", ("component", "weight", "where"), list(reward_rows(record)))
    yield TextTable("Contract", ("what holds", "verdict", "evidence"), list(contract_rows(record)))
    found = [
        (f["id"], about(f["task"]), f["explanation"], f["witness"].get("replay", ""))
        for f in record["findings"]
    ]
    yield TextTable("Findings", ("finding", "task", "what happened", "again"), found)


def card_rows(record: Json) -> Iterator[tuple[str, str]]:
    """The card's lines."""
    yield "target", record["target"]
    yield "reset", method_text(record["reset"]["code"], "initialises")
    yield "reset takes", parameters_text(record["reset"])
    yield "step", method_text(record["step"]["code"], "sets")
    changed = ", ".join(record["step"]["changed"]) or "nothing"
    yield "a step changed", f"{changed} (in {record['step']['steps']} steps)"
    yield "tools", ", ".join(tool["name"] for tool in record["action"]["tools"]) or "none"
    yield "ends seen", ends_text(record["terminal"])
    yield "turns at most", limit_text(record["terminal"])
    yield "ends decided", places_text(record["terminal"]["places"])
    yield "reward", range_text(record["reward"])
    yield "reward computed", places_text(record["reward"]["places"])
    yield "splits", splits_text(record["tasks"]["splits"])
    flown = record["tasks"]["flown"]
    yield "tasks flown", "; ".join(f"{task_text(t['options'])} ({t['source']})" for t in flown)
    packaging = record["packaging"]
    if packaging is not None:
        for role, file in packaging["files"].items():
            yield role, file or "absent"
    for said in record["unknown"]:
        yield "not known", said


def method_text(code: Json | None, verb: str) -> str:
    """A method: where, what it says, what it sets."""
    if code is None:
        return "its code cannot be seen"
    sets = f"; {verb} {', '.join(code['sets'])}" if code["sets"] else ""
    return f"{code['file']}:{code['line']} {code['doc']}{sets}"


def parameters_text(reset: Json) -> str:
    """The reset's parameters on one line."""
    if reset["parameters"] is None:
        return "its signature cannot be seen"
    names = [p["name"] + (" (needed)" if p["required"] else "") for p in reset["parameters"]]
    return ", ".join([*names, *(["any other"] if reset["open"] else [])]) or "nothing"


def ends_text(terminal: Json) -> str:
    """The ends that were seen."""
    if not terminal["ended"]:
        return f"none in {terminal['flown']} flights"
    kinds = ", ".join(
        f"{end['episodes']} {end_text(end['success'], end['timeout'])}" for end in terminal["ends"]
    )
    low, high = terminal["steps"]
    return (
        f"{terminal['ended']} of {terminal['flown']} flights, after {low} to {high} steps: {kinds}"
    )


def limit_text(terminal: Json) -> str:
    """The limit of turns that other stations take, and how many flights of the map did not live to see an end."""
    said = f"{terminal['limit']}: {terminal['why']}"
    if not (cut := terminal["cut"]):
        return said
    steps = f"{cut[0]}" if len(set(cut)) == 1 else f"{min(cut)} to {max(cut)}"
    return f"{said}; {len(cut)} of {terminal['sought']} flights that looked for an end were broken off at step {steps}"


def end_text(success: bool | None, timeout: bool) -> str:
    """One kind of end."""
    said = {True: "succeeded", False: "failed", None: "without a word of success"}[success]
    return f"{said} by timeout" if timeout else said


def range_text(reward: Json) -> str:
    """The declared and the seen range."""
    said = "no range declared"
    if reward["declared"] is not None:
        said = "declared [{:g}, {:g}]".format(*reward["declared"])
    seen = reward["seen"]
    return said + ("" if seen is None else ", seen {:g} to {:g}".format(*seen))


def splits_text(splits: Sequence[Json] | None) -> str:
    """The splits with their numbers of tasks."""
    if splits is None:
        return "no task API"
    return ", ".join(f"{split['name']} ({split['num_tasks']})" for split in splits) or "none"


def places_text(places: Sequence[Json] | None) -> str:
    """Files and lines, the first few."""
    if places is None:
        return "its code cannot be seen"
    said = [place_text(place) for place in places[:MOST_PLACES]]
    more = len(places) - len(said)
    return "; ".join([*said, *([f"and {more} more"] if more else [])]) or "nowhere"


def place_text(place: Json | None) -> str:
    """A file and a line with the code there."""
    if place is None:
        return "its code was not found"
    said = f"{place['file']}:{place['line']} {place['text']}"
    return f"{said} (if {place['when']})" if place.get("when") else said


def action_rows(record: Json) -> Iterator[tuple[str, str, str, str]]:
    """One row a field."""
    for field in record["action"]["fields"]:
        said = field["words"] + (f". {field['description']}" if field["description"] else "")
        needed = "yes" if field["required"] else "no"
        yield field["name"], said, needed, shown(field["default"])


def reward_rows(record: Json) -> Iterator[tuple[str, str, str]]:
    """The rubric tree, then the breakdown's fields."""
    if record["reward"]["rubric"]:
        yield from rubric_rows(record["reward"]["rubric"], 0)
    for entry in record["reward"]["breakdown"]:
        yield entry["name"], "", place_text(entry["place"])


def rubric_rows(rubric: Json, depth: int) -> Iterator[tuple[str, str, str]]:
    """A rubric and those below it, indented."""
    name = f"{rubric['name']}: " if rubric["name"] else ""
    weight = "" if rubric["weight"] is None else f"{rubric['weight']:g}"
    where = f"{rubric['file']}:{rubric['line']}"
    yield f"{'· ' * depth}{name}{rubric['class']}", weight, where
    for child in rubric["children"]:
        yield from rubric_rows(child, depth + 1)


def contract_rows(record: Json) -> Iterator[tuple[str, str, str]]:
    """One row a check: the worst answer over the tasks."""
    for item in record["contract"]:
        where = f"{task_text(item['task'])}: " if item["task"] else ""
        yield CHECKS[item["id"]], VERDICTS[item["verdict"]], f"{where}{item['said']}"


def about(options: TaskOptions | None) -> str:
    """The task that something is about; nothing where it is about none."""
    return "" if options is None else task_text(options)


def shown(value: Any) -> str:
    """A value on one line, not too long."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split())
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…"
