"""docs/field.md, made from the record of the audits and the readings of their findings, and from nothing else.

docs/field/readings.yaml is written by a reader who is shown source and witness alone. ``openings``: of an environment
that was not audited, whether the line that says why is ``right``. ``findings``: by environment and the finding's
``key`` a ``reading``: confirmed, refuted or wrong evidence (it is so, and the witness does not show it). ``success``:
whether what success was taken for is ``right``. ``missed``: ``what`` the reader proves and no finding names, and
whether it is ``pay_for_nothing``. ``read``: environments that the reader has searched for what was missed. Each entry
has its ``environment`` and, but for ``read``, its ``why`` with file and line.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from gonogo.errors import MissingRecord
from gonogo.records.files import read_record, write_text
from gonogo.statistics import wilson

__all__ = ["ANSWERS", "Readings", "page", "read_readings", "write_page"]

Json = dict[str, Any]
ANSWERS = ("confirmed", "refuted", "wrong evidence")
FIELDS = {
    "openings": {"environment", "right", "why"},
    "findings": {"environment", "finding", "reading", "why"},
    "success": {"environment", "right", "why"},
    "missed": {"environment", "what", "pay_for_nothing", "why"},
}
SUSPICIOUS = "suspicious"
"""Severity of what blocks nothing."""
PAY = {"proven exploit", "pays without an effort"}
SHOWN_CHARS = 300
INTRODUCTION = """\
# The field

`gonogo audit FOLDER`, with nothing but its packages installed, on repositories of strangers that hold an \
`openenv.yaml`. A rule drew them before anything was run, and nobody who writes gonogo's rules reads them: \
[field.yaml](../benchmarks/field.yaml) has the rule, the names and the commits. Every finding is read against the \
source by somebody who is shown the source and the witness alone; what that reader proves and the audit missed is \
noted too. Commands: [field.py](../benchmarks/field.py). None of the environments' code is in this repository. \
Intervals are Wilson's, 95 %.
"""


@dataclass(slots=True)
class Readings:
    """What the reader says, by environment.

    Attributes:
        openings: Whether the line that says why one was not audited is right.
        findings: The reading of each finding, by environment and key.
        success: Whether what success was taken for is right.
        missed: What the reader proves and no finding names.
        read: Environments that were searched for what was missed.
        why: The reader's words about a finding.
    """

    openings: dict[str, bool] = field(default_factory=dict)
    findings: dict[tuple[str, str], str] = field(default_factory=dict)
    success: dict[str, bool] = field(default_factory=dict)
    missed: list[Json] = field(default_factory=list)
    read: set[str] = field(default_factory=set)
    why: dict[tuple[str, str], str] = field(default_factory=dict)

    def pays_for_nothing(self, name: str) -> bool:
        """Whether the reader proves pay for nothing that the audit missed."""
        return any(m["environment"] == name and m["pay_for_nothing"] for m in self.missed)


def read_readings(path: Path) -> Readings:
    """The readings; empty without a file.

    Raises:
        ValueError: An entry lacks a field, has another, has an unknown reading, or is given twice.
    """
    said = (yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else None) or {}
    if spare := said.keys() - FIELDS.keys() - {"read"}:
        raise ValueError(f"{path}: no reading is called {', '.join(sorted(spare))}")
    for kind, fields in FIELDS.items():
        seen = set()
        for entry in said.get(kind) or []:
            if entry.keys() != fields:
                raise ValueError(f"{path}: {kind} have {sorted(fields)}, not {sorted(entry)}")
            key = (entry["environment"], entry.get("finding", entry.get("what")))
            if key in seen:
                raise ValueError(f"{path}: {key} is read twice")
            seen.add(key)
    given = {kind: said.get(kind) or [] for kind in FIELDS}
    for entry in given["findings"]:
        if entry["reading"] not in ANSWERS:
            raise ValueError(f"{path}: a reading is one of {ANSWERS}, not {entry['reading']!r}")
    return Readings(
        openings={e["environment"]: e["right"] for e in given["openings"]},
        findings={(e["environment"], e["finding"]): e["reading"] for e in given["findings"]},
        success={e["environment"]: e["right"] for e in given["success"]},
        missed=given["missed"],
        read=set(said.get("read") or []),
        why={(e["environment"], e["finding"]): e["why"] for e in given["findings"]},
    )


def ran(row: Json) -> bool:
    """Whether an audit came to a verdict."""
    return row["verdict"] is not None


def reading(row: Json, found: Json, readings: Readings) -> str | None:
    """Of a finding; None if nobody has read it."""
    return readings.findings.get((row["name"], found["key"]))


def answered(row: Json, readings: Readings) -> bool:
    """Whether a verdict is an answer: NO-GO by a confirmed witness, or GO under a success that is right."""
    if row["verdict"] == "NO_GO":
        blocking = [f for f in row["findings"] if f["severity"] != SUSPICIOUS]
        return any(reading(row, found, readings) == "confirmed" for found in blocking)
    return row["verdict"] == "GO" and readings.success.get(row["name"], False)


def about_reward(row: Json, readings: Readings) -> bool:
    """Whether an answer is about the reward, and not about the contract alone."""
    if row["verdict"] == "NO_GO":
        pay = [f for f in row["findings"] if f["severity"] in PAY]
        return any(reading(row, found, readings) == "confirmed" for found in pay)
    return answered(row, readings)


def pays_for_nothing(row: Json, readings: Readings) -> bool:
    """Whether pay for nothing is proven: by a confirmed finding or by the reader."""
    pay = [f for f in row["findings"] if f["severity"] in PAY]
    confirmed = any(reading(row, found, readings) == "confirmed" for found in pay)
    return confirmed or readings.pays_for_nothing(row["name"])


def share(values: Iterable[bool]) -> str:
    """How many of how many, with the interval."""
    told = list(values)
    if not told:
        return "none"
    low, high = wilson(told).ends or (0.0, 1.0)
    return f"{sum(told)} of {len(told)}: {sum(told) / len(told):.2f} ({low:.2f} to {high:.2f})"


def median(rows: Sequence[Json], name: str) -> str:
    """Of a time, over those that have it."""
    known = [row["seconds"][name] for row in rows if row["seconds"][name] is not None]
    return f"{statistics.median(known):.0f} (of {len(known)})" if known else "none"


def figures(rows: Sequence[Json], readings: Readings) -> Iterator[tuple[str, str, str]]:
    """What the field says, the figure, and what is to be reached."""
    running = [row for row in rows if ran(row)]
    going = [row for row in running if row["verdict"] == "GO"]
    pairs = [(row, found) for row in rows for found in row["findings"]]
    read = [said for row, found in pairs if (said := reading(row, found, readings)) is not None]
    opened = [ran(row) or readings.openings.get(row["name"], False) for row in rows]
    yield "open and get a verdict, or get one right line why not", share(opened), "0.90"
    yield (
        "of those that run: NO-GO whose witness the reader confirms, or GO under a success that the reader agrees with",
        share(answered(row, readings) for row in running),
        "0.65",
    )
    yield "the same, about the reward", share(about_reward(row, readings) for row in running), ""
    missed = (readings.pays_for_nothing(row["name"]) for row in going)
    yield "GO where the reader proves pay for nothing", share(missed), "at most 0.10"
    wrong = (said != "confirmed" for said in read)
    yield "findings refuted or with wrong evidence, of those read", share(wrong), "under 0.05"
    torn = sum(row["traceback"] for row in rows), sum(row["endless"] for row in rows)
    yield "tracebacks; endless runs", f"{torn[0]}; {torn[1]}", "0; 0"
    yield "median seconds to the first finding", median(running, "first_finding"), "20"
    yield "median seconds to the verdict", median(running, "verdict"), "120"
    paid = (pays_for_nothing(row, readings) for row in running)
    yield "prevalence of proven pay for nothing, of those that run", share(paid), ""


def unread(rows: Sequence[Json], readings: Readings) -> tuple[list[str], list[str]]:
    """What has no reading yet, and what is read and not on record."""
    found = {(row["name"], f["key"]) for row in rows for f in row["findings"]}
    closed = {row["name"] for row in rows if not ran(row)}
    going = {row["name"] for row in rows if row["verdict"] == "GO"}
    waiting = [f"{name}: {key}" for name, key in sorted(found - readings.findings.keys())]
    waiting += [
        f"{name}: why it is not audited" for name in sorted(closed - readings.openings.keys())
    ]
    waiting += [f"{name}: what success is" for name in sorted(going - readings.success.keys())]
    names = {row["name"] for row in rows}
    waiting += [f"{name}: what was missed" for name in sorted(names - readings.read)]
    spare = [f"{name}: {key}" for name, key in sorted(readings.findings.keys() - found)]
    said = readings.openings.keys() | readings.success.keys() | readings.read
    said |= {each["environment"] for each in readings.missed}
    return waiting, [*spare, *sorted(said - names)]


def verdict(row: Json) -> str:
    """In a word."""
    if row["verdict"] is not None:
        return str(row["verdict"]).replace("_", "-")
    return "endless" if row["endless"] else "none"


def one_line(text: str) -> str:
    """A text in a table's cell."""
    plain = " ".join(text.split()).replace("|", "\\|")
    return plain if len(plain) <= SHOWN_CHARS else f"{plain[:SHOWN_CHARS]}…"


def judged_by(row: Json) -> str:
    """What success was taken for."""
    told = row["success"]
    if not told:
        return ""
    return " ".join(
        filter(None, [told.get("said_by"), told.get("expression") and f"`{told['expression']}`"])
    )


def table(rows: Sequence[Json], readings: Readings) -> Iterator[str]:
    """One line for each environment."""
    yield "| environment | verdict | success | findings | seconds to install; first finding; verdict | reason |"
    yield "|---|---|---|---|---|---|"
    for row in rows:
        found = "; ".join(
            f"{f['key']} ({f['severity']}): {reading(row, f, readings) or 'not read'}"
            for f in row["findings"]
        )
        times = (row["seconds"][name] for name in ("install", "first_finding", "verdict"))
        cells = [
            f"[{row['name']}](https://github.com/{row['name']}/tree/{row['commit']})",
            verdict(row),
            one_line(judged_by(row)),
            found,
            "; ".join("–" if at is None else f"{at:.0f}" for at in times),
            one_line(row["reason"] or row["why_not"] or ""),
        ]
        yield f"| {' | '.join(cells)} |"


def page(record: Json | None, readings: Readings) -> str:
    """The page."""
    rows: list[Json] = [] if record is None else record["environments"]
    if not rows:
        return f"{INTRODUCTION}\nNothing is on record yet.\n"
    lines = ["| what | here | to be reached |", "|---|---|---|"]
    lines += [f"| {' | '.join(cells)} |" for cells in figures(rows, readings)]
    waiting, _ = unread(rows, readings)
    commits = ", ".join(sorted({(row["gonogo"] or "unknown")[:8] for row in rows}))
    said = f"gonogo at {commits}. "
    said += f"{len(waiting)} readings are still to be made." if waiting else "Everything was read."
    missed = [
        f"- {m['environment']}: {m['what']}{' (pay for nothing)' if m['pay_for_nothing'] else ''}. {one_line(m['why'])}"
        for m in readings.missed
    ]
    why = [
        f"- {name}, {key}, {readings.findings[name, key]}: {one_line(text)}"
        for (name, key), text in readings.why.items()
    ]
    parts = [INTRODUCTION, "\n".join(lines), said, "\n".join(table(rows, readings))]
    if missed:
        parts += ["## What the audit missed", "\n".join(missed)]
    if why:
        parts += ["## Readings", "\n".join(why)]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def write_page(docs: Path) -> str:
    """Write ``field.md``, and say what is not read yet.

    Raises:
        ValueError: The readings are not in order, or name what is not on record.
    """
    try:
        record: Json | None = read_record(docs / "field" / "record.json", "field", 1)
    except MissingRecord:
        record = None
    readings = read_readings(docs / "field" / "readings.yaml")
    rows = [] if record is None else record["environments"]
    waiting, spare = unread(rows, readings)
    if spare:
        raise ValueError(f"read, and not on record: {', '.join(spare)}")
    write_text(docs / "field.md", page(record, readings))
    return "\n".join(["not read yet:", *waiting]) if waiting else "all is read"
