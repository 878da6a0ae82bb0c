"""The field's pages, made from the records of the audits and the readings of their findings, and from nothing else.

docs/field.md has the figures of every draw, docs/field/draw-N.md one draw's environments. docs/field/draw-N/readings/
has a file for each environment that was read, owner+name.yaml, by a reader who is shown source
and witness alone. ``environment`` is its name and ``gonogo`` the commit whose audit was read: a reading of another
audit counts for nothing. ``opening``, where there was no verdict: whether the line that says why is ``right``.
``findings``: for each ``finding``, by its key, a ``reading``: confirmed, refuted or wrong evidence (it is so, and the
witness does not show it). ``success``: whether what success was taken for is ``right``. ``missed``: ``what`` the reader
proves and no finding names, and whether it is ``pay_for_nothing``. Each has its ``why``, with file and line.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from gonogo.errors import MissingRecord
from gonogo.records.files import read_record, write_text
from gonogo.statistics import wilson

__all__ = [
    "ANSWERS",
    "KIND",
    "VERSION",
    "AuditedDraw",
    "Readings",
    "details",
    "overview",
    "read_draws",
    "read_readings",
    "write_pages",
]

Json = dict[str, Any]
KIND, VERSION = "field", 1
MANIFEST = Path(__file__).with_name("field.yaml")
SORTED = Path(__file__).parents[1] / "docs" / "field" / "kinds.yaml"
ANSWERS = ("confirmed", "refuted", "wrong evidence")
HEAD = {"environment", "gonogo"}
ONE = {"opening": {"right", "why"}, "success": {"right", "why"}}
MANY = {"findings": {"finding", "reading", "why"}, "missed": {"what", "pay_for_nothing", "why"}}
SUSPICIOUS = "suspicious"
"""Severity of what blocks nothing."""
PAY = {"proven exploit", "pays without an effort"}
KINDS = {
    "those about the contract": {"contract"},
    "those about the reward that block": PAY,
    "those that are only suspicious": {SUSPICIOUS},
}
"""Findings, by what they are, with their severities."""
SHOWN_CHARS = 300
INTRODUCTION = """\
# The field

`gonogo audit FOLDER`, with nothing but its packages installed, on public repositories of strangers. A rule drew them \
before anything was run, and nobody who writes gonogo's rules read them before: \
[field.yaml](../benchmarks/field.yaml) has the rules, the names and the commits. Every finding is read against the \
source by somebody who is shown the source and the witness alone; what that reader proves and the audit missed is \
noted too, and counted [by kind](field/kinds.md). [What the readings teach](field/lessons.md) shapes rules, so a draw \
measures only the commit that audited it, and what comes later needs another draw. Commands: \
[field.py](../benchmarks/field.py). None of the environments' code is in this repository. Intervals are Wilson's, 95 %.

**How it is measured.** Each environment is a fresh copy, and the command runs with gonogo's core in its \
interpreter and uv beside it; its processes have 6 GiB of memory each, 1 GiB for a file and 240 seconds. Environments \
are audited in the drawn order, two at once on two cores; installing their packages is timed apart. What opens was \
developed with the knowledge of which *kinds* of failure to open occur in the first draw, in general words, without \
names or sources; everything else was developed without any knowledge of the draw that measures it.
"""
MISSED = """# What audits missed in the field, by kind

Readers prove {times} times, in {names} environments, that something is paid for nothing which the audit of that draw \
did not name ([the field](../field.md)). Each is counted once, by what has to be sent to show it. One reader sorted \
them by the words of the readings alone ([kinds.yaml](kinds.yaml)); kinds that lie close to each other were told apart \
by judgement. The audits were those of the draws' commits, so that today's may find more.
"""


@dataclass(frozen=True, slots=True)
class AuditedDraw:
    """A draw, with what is on record of it.

    Attributes:
        number: Its place among the draws, from 1.
        size: How many of its field have a commit.
        rows: What its audits came to.
        readings: What their readers say.
        later: Name of the first that was audited after those before it were read; None where all were audited at once.
    """

    number: int
    size: int
    rows: list[Json]
    readings: Readings
    later: str | None = None

    @property
    def parts(self) -> list[AuditedDraw]:
        """What was audited at once, in order: what is learned from the readings of one part shapes no figure of it."""
        names = [row["name"] for row in self.rows]
        if self.later not in names:
            return [self]
        place = names.index(self.later)
        return [
            replace(self, rows=some, later=None) for some in (self.rows[:place], self.rows[place:])
        ]

    @property
    def commits(self) -> str:
        """Of gonogo, as it audited them."""
        return ", ".join(sorted({(row["gonogo"] or "unknown")[:8] for row in self.rows}))


@dataclass(slots=True)
class Readings:
    """What readers say, by environment.

    Attributes:
        openings: Whether the line that says why one was not audited is right.
        findings: The reading of each finding, by environment and key.
        success: Whether what success was taken for is right.
        missed: What a reader proves and no finding names, with its ``environment``.
        read: Environments that were read.
        why: The reader's words about a finding.
        stale: Environments of which another audit than the one on record was read.
    """

    openings: dict[str, bool] = field(default_factory=dict)
    findings: dict[tuple[str, str], str] = field(default_factory=dict)
    success: dict[str, bool] = field(default_factory=dict)
    missed: list[Json] = field(default_factory=list)
    read: set[str] = field(default_factory=set)
    why: dict[tuple[str, str], str] = field(default_factory=dict)
    stale: list[str] = field(default_factory=list)

    def pays_for_nothing(self, name: str) -> bool:
        """Whether a reader proves pay for nothing that the audit missed."""
        return any(m["environment"] == name and m["pay_for_nothing"] for m in self.missed)

    def add(self, said: Json) -> None:
        """Take in one environment's."""
        name = said["environment"]
        self.read.add(name)
        if "opening" in said:
            self.openings[name] = said["opening"]["right"]
        if "success" in said:
            self.success[name] = said["success"]["right"]
        for entry in said.get("findings") or []:
            self.findings[name, entry["finding"]] = entry["reading"]
            self.why[name, entry["finding"]] = entry["why"]
        self.missed += [{"environment": name, **each} for each in said.get("missed") or []]


def read_readings(folder: Path, commits: Mapping[str, str]) -> Readings:
    """The readings; empty without a folder.

    Args:
        folder: Of the files.
        commits: Of gonogo, as it audited each environment on record.

    Raises:
        ValueError: A file's name is not its environment's, or an entry lacks a field, has another, has an unknown
            reading, or is given twice.
    """
    known = Readings()
    for path in sorted(folder.glob("*.yaml")):
        said = yaml.safe_load(path.read_text(encoding="utf-8"))
        check(path, said)
        if commits.get(said["environment"], said["gonogo"]).startswith(str(said["gonogo"])):
            known.add(said)
        else:
            known.stale.append(said["environment"])
    return known


def check(path: Path, said: Any) -> None:
    """Hold a file against its form.

    Raises:
        ValueError: It breaks it.
    """
    if not isinstance(said, dict) or not HEAD <= said.keys() <= HEAD | ONE.keys() | MANY.keys():
        raise ValueError(f"{path} has {sorted(HEAD)}, and {sorted(ONE)} and {sorted(MANY)} of it")
    if path.stem != said["environment"].replace("/", "+"):
        raise ValueError(f"{path} is no file of {said['environment']}")
    entries = [(kind, said[kind], ONE[kind]) for kind in ONE if kind in said]
    entries += [(kind, entry, MANY[kind]) for kind in MANY for entry in said.get(kind) or []]
    seen = set()
    for kind, entry, fields in entries:
        if not isinstance(entry, dict) or entry.keys() != fields:
            raise ValueError(f"{path}: {kind} has {sorted(fields)}, not {entry!r:.100}")
        for name in fields & {"right", "pay_for_nothing"}:
            if not isinstance(entry[name], bool):
                raise ValueError(f"{path}: {name} is true or false, not {entry[name]!r}")
        if "reading" in fields and entry["reading"] not in ANSWERS:
            raise ValueError(f"{path}: a reading is one of {ANSWERS}, not {entry['reading']!r}")
        if (key := entry.get("finding", entry.get("what", kind))) in seen:
            raise ValueError(f"{path}: {key} is read twice")
        seen.add(key)


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
    read = [
        (found, said) for row, found in pairs if (said := reading(row, found, readings)) is not None
    ]
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
    wrong = (said != "confirmed" for _, said in read)
    yield "findings refuted or with wrong evidence, of those read", share(wrong), "under 0.05"
    for what, severities in KINDS.items():
        some = [said for found, said in read if found["severity"] in severities]
        yield f"the same, of {what}", share(said != "confirmed" for said in some), ""
    torn = sum(row["traceback"] for row in rows), sum(row["endless"] for row in rows)
    agreed = [
        readings.success[row["name"]]
        for row in running
        if assumes(row) and row["name"] in readings.success
    ]
    yield "success that was assumed, and is right, of those read", share(agreed), ""
    yield "tracebacks; endless runs", f"{torn[0]}; {torn[1]}", "0; 0"
    yield "median seconds to the first finding", median(running, "first_finding"), "20"
    yield "median seconds to the verdict", median(running, "verdict"), "120"
    paid = (pays_for_nothing(row, readings) for row in running)
    yield "prevalence of proven pay for nothing, of those that run", share(paid), ""


def assumes(row: Json) -> bool:
    """Whether success was assumed, and not given by the environment's own word."""
    return (row["success"] or {}).get("said_by") == "assumed"


def unread(rows: Sequence[Json], readings: Readings) -> tuple[list[str], list[str]]:
    """What has no reading yet, and what is read and not on record."""
    found = {(row["name"], f["key"]) for row in rows for f in row["findings"]}
    closed = {row["name"] for row in rows if not ran(row)}
    going = {row["name"] for row in rows if row["verdict"] == "GO" or assumes(row)}
    waiting = [f"{name}: {key}" for name, key in sorted(found - readings.findings.keys())]
    waiting += [
        f"{name}: why it is not audited" for name in sorted(closed - readings.openings.keys())
    ]
    waiting += [f"{name}: what success is" for name in sorted(going - readings.success.keys())]
    names = {row["name"] for row in rows}
    waiting += [f"{name}: what was missed" for name in sorted(names - readings.read)]
    waiting += [f"{name}: another audit was read" for name in readings.stale]
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


def read_draws() -> list[Json]:
    """The draws, as benchmarks/field.yaml has them."""
    return list(yaml.safe_load_all(MANIFEST.read_text(encoding="utf-8")))


def overview(draws: Sequence[AuditedDraw]) -> str:
    """The page of all draws: their figures beside each other, the last first."""
    if not draws:
        return f"{INTRODUCTION}\nNothing is on record yet.\n"
    newest = [(draw, part) for draw in reversed(draws) for part in reversed(draw.parts)]
    columns = [list(figures(part.rows, part.readings)) for _, part in newest]
    heads = [
        f"[draw {draw.number}](field/draw-{draw.number}.md){which(draw, part)}, gonogo {part.commits}"
        for draw, part in newest
    ]
    lines = [f"| what | {' | '.join(heads)} | to be reached |", f"|{'---|' * (len(heads) + 2)}"]
    for cells in zip(*columns, strict=True):
        what, _, goal = cells[0]
        lines.append(f"| {' | '.join([what, *(here for _, here, _ in cells), goal])} |")
    return f"{INTRODUCTION}\n" + "\n".join(lines) + "\n"


def which(draw: AuditedDraw, part: AuditedDraw) -> str:
    """Which part of a draw it is, in words; empty where it is all of it."""
    if len(part.rows) == len(draw.rows):
        return ""
    first = part.rows[0] is draw.rows[0]
    return f", the {'first' if first else 'last'} {len(part.rows)}"


def details(draw: AuditedDraw) -> str:
    """The page of one draw: every environment, what was missed, and the readings."""
    rows, readings = draw.rows, draw.readings
    waiting, _ = unread(rows, readings)
    said = f"{len(rows)} of the {draw.size} are audited, the first of the drawn order. gonogo at {draw.commits}. "
    said += f"{len(waiting)} readings are still to be made." if waiting else "Everything was read."
    said += " [The field](../field.md) has the figures, and says how they are measured."
    missed = [
        f"- {m['environment']}: {m['what']}{' (pay for nothing)' if m['pay_for_nothing'] else ''}. {one_line(m['why'])}"
        for m in readings.missed
    ]
    why = [
        f"- {name}, {key}, {readings.findings[name, key]}: {one_line(text)}"
        for (name, key), text in readings.why.items()
    ]
    parts = [f"# The field, draw {draw.number}", said, "\n".join(table(rows, readings))]
    if missed:
        parts += ["## What the audit missed", "\n".join(missed)]
    if why:
        parts += ["## Readings", "\n".join(why)]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def kinds_page(draws: Sequence[AuditedDraw], kinds: Json) -> str:
    """The page that counts by kind what readers prove and the audits missed.

    Args:
        draws: What is on record.
        kinds: ``kinds``, what each is, and ``missed``, one of them for each entry of a reading: by draw, by environment
            and by its place, from 0.

    Raises:
        ValueError: Another set of entries was sorted than readers prove, or a kind is not said to be anything.
    """
    given = {
        (number, name, place): kind
        for number, environments in kinds["missed"].items()
        for name, places in environments.items()
        for place, kind in places.items()
    }
    proven = {
        (draw.number, name, place)
        for draw in draws
        for name in draw.readings.read
        for place, entry in enumerate(m for m in draw.readings.missed if m["environment"] == name)
        if entry["pay_for_nothing"]
    }
    if wrong := given.keys() ^ proven:
        raise ValueError(f"sorted by kind and not proven, or the other way round: {sorted(wrong)}")
    if unknown := set(given.values()) - kinds["kinds"].keys():
        raise ValueError(f"nothing says what these kinds are: {sorted(unknown)}")
    last = max((number for number, _, _ in given), default=0)
    lines = [
        f"| what has to be sent | times | environments | of draw {last} |",
        "|---|---|---|---|",
    ]
    for kind, _ in Counter(given.values()).most_common():
        some = [key for key, value in given.items() if value == kind]
        environments = len({name for _, name, _ in some})
        newest = sum(number == last for number, _, _ in some)
        lines.append(f"| {kinds['kinds'][kind]} | {len(some)} | {environments} | {newest} |")
    names = len({name for _, name, _ in given})
    said = MISSED.format(times=len(given), names=names)
    return f"{said}\n" + "\n".join(lines) + "\n"


def read_audited(docs: Path) -> list[AuditedDraw]:
    """The draws of which anything is on record.

    Args:
        docs: Folder of ``field/``.

    Raises:
        ValueError: The readings are not in order, or name what is not on record.
    """
    found = []
    for number, drawing in enumerate(read_draws(), start=1):
        folder = docs / "field" / f"draw-{number}"
        try:
            rows = read_record(folder / "record.json", KIND, VERSION)["environments"]
        except MissingRecord:
            continue
        readings = read_readings(folder / "readings", {row["name"]: row["gonogo"] for row in rows})
        _, spare = unread(rows, readings)
        if spare:
            raise ValueError(f"read, and not on record: {', '.join(spare)}")
        size = sum(entry["commit"] is not None for entry in drawing["field"])
        found.append(AuditedDraw(number, size, rows, readings, drawing.get("later")))
    return found


def write_pages(docs: Path) -> str:
    """Write ``field.md``, ``field/kinds.md`` and ``field/draw-N.md``, and say what is not read yet.

    Raises:
        ValueError: The readings are not in order, or name what is not on record.
    """
    draws = read_audited(docs)
    kinds = kinds_page(draws, yaml.safe_load(SORTED.read_text(encoding="utf-8")))
    write_text(docs / "field.md", overview(draws))
    write_text(docs / "field" / "kinds.md", kinds)
    waiting = []
    for draw in draws:
        write_text(docs / "field" / f"draw-{draw.number}.md", details(draw))
        waiting += unread(draw.rows, draw.readings)[0]
    return "\n".join(["not read yet:", *waiting]) if waiting else "all is read"
