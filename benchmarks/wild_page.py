"""docs/wild.md, made from the record of the audits and from the readings of their findings, and from nothing else.

docs/wild/readings.yaml holds ``readings``: ``environment``, ``finding``, ``reading`` (confirmed or refuted), ``why``
with file and line of the source. ``mended``: findings of an earlier gonogo that were refuted and led to a change of
it: ``environment``, ``finding``, ``why`` and ``change``. ``earlier``: how many findings that gonogo had.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from gonogo.records import read_record, write_text

__all__ = ["ANSWERS", "page", "read_readings", "unread", "write_page"]

Json = dict[str, Any]
Readings = Mapping[tuple[str, str], Json]
ANSWERS = ("confirmed", "refuted")
FIELDS = {"environment", "finding", "reading", "why"}
MENDED_FIELDS = {"environment", "finding", "why", "change"}
SHOWN_CHARS = 600
INTRODUCTION = """\
# Audits in the wild

`gonogo map` and `gonogo audit` on environments of the public OpenEnv repository \
(https://github.com/meta-pytorch/OpenEnv, {commits}), each in a virtual environment of its own, with openenv {openenv} \
in the place of the openenv-core that it asks for. Every finding was then read by hand against the environment's \
source, in the checkout's folder `envs`. A finding is *confirmed* if what it says is so and is a defect, and *refuted* \
if it is not. None of the environments' code is in this repository.

HOLD of an audit is an answer: where an environment never says whether an episode succeeded, or no policy succeeds, \
an audit cannot tell pay for nothing from pay for work, and says so. Commands: \
[benchmarks/wild.py](../benchmarks/wild.py); policies that succeed: \
[benchmarks/wild_policies.py](../benchmarks/wild_policies.py); record: [wild/record.json](wild/record.json); readings: \
[wild/readings.yaml](wild/readings.yaml).
"""


@dataclass(frozen=True, slots=True)
class Mended:
    """What an earlier pass came to.

    Attributes:
        earlier: Its findings.
        entries: Those that were refuted and led to a change.
    """

    earlier: int
    entries: Sequence[Json]


def read_readings(path: Path) -> tuple[dict[tuple[str, str], Json], Mended]:
    """The readings by environment and finding, and what an earlier pass came to.

    Raises:
        ValueError: An entry lacks a field, has another, says neither confirmed nor refuted, or is given twice.
    """
    said = yaml.safe_load(path.read_text(encoding="utf-8"))
    readings: dict[tuple[str, str], Json] = {}
    for entry in said["readings"]:
        if entry.keys() != FIELDS:
            raise ValueError(f"{path}: a reading has {sorted(FIELDS)}, not {sorted(entry)}")
        if entry["reading"] not in ANSWERS:
            raise ValueError(f"{path}: a reading is one of {ANSWERS}, not {entry['reading']!r}")
        key = entry["environment"], entry["finding"]
        if key in readings:
            raise ValueError(f"{path}: {key} is read twice")
        readings[key] = entry
    for entry in said["mended"]:
        if entry.keys() != MENDED_FIELDS:
            raise ValueError(
                f"{path}: what was mended has {sorted(MENDED_FIELDS)}, not {sorted(entry)}"
            )
    return readings, Mended(said["earlier"], said["mended"])


def unread(record: Json, readings: Readings) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Findings without a reading, and readings without a finding, by environment and finding."""
    found = [(row["name"], f["id"]) for row in record["environments"] for f in row["findings"]]
    known = set(found)
    return [key for key in found if key not in readings], [k for k in readings if k not in known]


def page(record: Json, readings: Readings, mended: Mended) -> str:
    """The page."""
    rows = record["environments"]
    commits = sorted({row["commit"] for row in rows if row["commit"]})
    openenv = sorted({row["setup"]["packages"].get("openenv", "none") for row in rows} - {"none"})
    parts = [
        INTRODUCTION.format(
            commits="commit " + ", ".join(commits), openenv=", ".join(openenv) or "of none"
        ),
        "\n".join(table(rows, readings)) + "\n",
        totals(rows, readings) + "\n",
        "## What each audit could not tell\n",
        "\n".join(unknowns(rows)) + "\n",
        "## Refuted before, and mended\n",
        f"An earlier pass had {mended.earlier} findings, {len(mended.entries)} of them refuted, and gonogo was changed "
        "for those. The counts above are mostly of the same environments: they are no measure on others.\n",
        "\n".join(mending(entry) for entry in mended.entries) + "\n",
        "## Findings\n",
        *(paragraph(row, found, readings) + "\n" for row in rows for found in row["findings"]),
    ]
    return "\n".join(parts)


def table(rows: list[Json], readings: Readings) -> Iterator[str]:
    """One line for each environment."""
    yield "| environment | version | policy to succeed | map | audit | findings | confirmed | refuted | seconds |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for row in rows:
        counts = count(row, readings)
        verdicts = [verdict(row, station) for station in ("map", "audit")]
        seconds = sum(answer["seconds"] for answer in row["stations"].values())
        cells = [
            row["name"],
            row["version"] or "none",
            row["reference"] or "none",
            *verdicts,
            str(len(row["findings"])),
            *(str(counts[answer]) for answer in ANSWERS),
            f"{seconds:.0f}",
        ]
        yield f"| {' | '.join(cells)} |"


def count(row: Json, readings: Readings) -> dict[str, int]:
    """How many of an environment's findings were confirmed and refuted."""
    said = [readings[row["name"], found["id"]]["reading"] for found in row["findings"]]
    return {answer: said.count(answer) for answer in ANSWERS}


def verdict(row: Json, station: str) -> str:
    """A station's verdict; where it has none, that it has none."""
    answer = row["stations"].get(station)
    return ((answer and answer["verdict"]) or "none").replace("_", "-")


def totals(rows: list[Json], readings: Readings) -> str:
    """Both counts over all environments."""
    counts = [count(row, readings) for row in rows]
    confirmed, refuted = (sum(c[answer] for c in counts) for answer in ANSWERS)
    flown = sum(bool(row["stations"]) for row in rows)
    return (
        f"{flown} of {len(rows)} environments could be installed and were audited: "
        f"{confirmed + refuted} findings, {confirmed} confirmed, {refuted} refuted. "
        "A finding counts once for an environment, however many of its tasks show it."
    )


def unknowns(rows: list[Json]) -> Iterator[str]:
    """Why a station gave no verdict, or held."""
    for row in rows:
        if row["setup"]["problem"]:
            yield f"- {row['name']}: not installed: {one_line(row['setup']['problem'])}"
        for station, answer in row["stations"].items():
            if answer["verdict"] in {"GO", "NO_GO"}:
                continue
            said = answer["reason"] or answer["problem"] or "no word"
            yield f"- {row['name']}, {station}: {one_line(said)}"


def mending(entry: Json) -> str:
    """One refuted finding that led to a change."""
    why, change = (one_line(entry[name]) for name in ("why", "change"))
    return f"- {entry['environment']}, {entry['finding']}: {why}. Change: {change}."


def paragraph(row: Json, found: Json, readings: Readings) -> str:
    """One finding: what it says, its witness, and what reading the source said."""
    reading = readings[row["name"], found["id"]]
    tasks = "; ".join(task_text(task) for task in found["tasks"])
    return "\n".join(
        [
            f"### {row['name']}: {found['id']}, {reading['reading']}\n",
            f"By {' and '.join(found['stations'])}, on {tasks}: {one_line(found['explanation'])}.\n",
            f"Witness: {witness_text(found['witness'])}.\n",
            " ".join(reading["why"].split()),
        ]
    )


def task_text(task: Json | None) -> str:
    """A task's reset options on one line."""
    if task is None:
        return "no task"
    return ", ".join(f"{key}={value}" for key, value in task.items()) or "the default task"


def witness_text(witness: Json) -> str:
    """What was done and what was seen, in the order of the witness."""
    said = [f"{key} `{json.dumps(value, ensure_ascii=False)}`" for key, value in witness.items()]
    text = ", ".join(said) or "none is needed"
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…`"


def one_line(text: str) -> str:
    """A text without line ends and without a full stop, cut where it is long."""
    plain = " ".join(text.split()).rstrip(".")
    return plain if len(plain) <= SHOWN_CHARS else f"{plain[:SHOWN_CHARS]}…"


def write_page(docs: Path) -> list[tuple[str, str]]:
    """Write ``wild.md`` where every finding has a reading and every reading a finding.

    Returns:
        The findings without a reading and the readings without a finding; empty where the page was written.
    """
    record = read_record(docs / "wild" / "record.json", "wild", 1)
    readings, mended = read_readings(docs / "wild" / "readings.yaml")
    missing, spare = unread(record, readings)
    if not missing and not spare:
        write_text(docs / "wild.md", page(record, readings, mended))
    return missing + spare
