"""docs/wild.md, made from the record of the audits and from the readings of their findings, and from nothing else.

docs/wild/readings.yaml holds ``readings``: ``environment``, ``finding``, ``reading`` (confirmed or refuted), ``why``
with file and line of the source. ``mended``: findings of an earlier gonogo that were refuted and led to a change of
it: ``environment``, ``finding``, ``why`` and ``change``. ``earlier``: passes of earlier gonogos, in their order, each
with ``environments``, ``findings``, ``refuted`` and what ``changed`` in gonogo after it. ``since``: what changed in
gonogo after the pass on record; empty where nothing did.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from gonogo.records.files import read_record, write_text

__all__ = ["ANSWERS", "page", "read_readings", "unread", "write_page"]

Json = dict[str, Any]
Readings = Mapping[tuple[str, str], Json]
ANSWERS = ("confirmed", "refuted")
FIELDS = {"environment", "finding", "reading", "why"}
MENDED_FIELDS = {"environment", "finding", "why", "change"}
EARLIER_FIELDS = {"environments", "findings", "refuted", "changed"}
SHOWN_CHARS = 600
SHORT = 8
"""Characters of a commit."""
INTRODUCTION = """\
# Audits in the wild

`gonogo audit`, which maps first, on environments of the public OpenEnv repository \
(https://github.com/meta-pytorch/OpenEnv, {commits}), each in a virtual environment of its own, with openenv {openenv} \
in the place of the openenv-core that it asks for. Every finding was then read by hand against the environment's \
source, in the checkout's folder `envs`. A finding is *confirmed* if what it says is so and is a defect, and *refuted* \
if it is not. None of the environments' code is in this repository.

No environment here has a field that says success. Where its source says what success is and what is seen can tell, \
the audit was given that as `--success`, listed below; the reward is never asked. HOLD of an audit is an answer: where \
nothing says whether an episode succeeded, or no policy succeeds, an audit cannot tell pay for nothing from pay for \
work, and says so. NO-GO is the contract's findings or the audit's own: the last column says whose. Commands: \
[benchmarks/wild.py](../benchmarks/wild.py); policies that succeed: \
[benchmarks/wild_policies.py](../benchmarks/wild_policies.py); record: [wild/record.json](wild/record.json); readings: \
[wild/readings.yaml](wild/readings.yaml).
"""


@dataclass(frozen=True, slots=True)
class Mended:
    """What the earlier passes came to.

    Attributes:
        earlier: The passes before this one, in their order.
        entries: Findings that were refuted and led to a change.
        since: What changed in gonogo after the pass on record; empty where nothing did.
    """

    earlier: Sequence[Json]
    entries: Sequence[Json]
    since: str


def read_readings(path: Path) -> tuple[dict[tuple[str, str], Json], Mended]:
    """The readings by environment and finding, and what the earlier passes came to.

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
    for entry in said["earlier"]:
        if entry.keys() != EARLIER_FIELDS:
            raise ValueError(
                f"{path}: an earlier pass has {sorted(EARLIER_FIELDS)}, not {sorted(entry)}"
            )
    return readings, Mended(said["earlier"], said["mended"], said["since"])


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
        *(earlier(number, entry) + "\n" for number, entry in enumerate(mended.earlier, start=1)),
        *afterwards(mended.since),
        "## What success is, and who reaches it\n",
        "\n".join(successes(rows)) + "\n",
        "## What each audit could not tell\n",
        "\n".join(unknowns(rows)) + "\n",
        "## Refuted before, and mended\n",
        "Findings of earlier passes that were refuted, for which gonogo was changed. The counts above are of the same "
        "environments: they are no measure on others.\n",
        "\n".join(mending(entry) for entry in mended.entries) + "\n",
        "## Findings\n",
        *(paragraph(row, found, readings) + "\n" for row in rows for found in row["findings"]),
    ]
    return "\n".join(parts)


def table(rows: list[Json], readings: Readings) -> Iterator[str]:
    """One line for each environment."""
    yield (
        "| environment | version | success given | policy to succeed | map | audit | findings | confirmed | refuted "
        "| seconds | gonogo | NO-GO by |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|---|---|"
    for row in rows:
        counts = count(row, readings)
        verdicts = [verdict(row, station) for station in ("map", "audit")]
        cells = [
            row["name"],
            row["version"] or "none",
            "no" if row["success"] is None else "yes",
            row["reference"] or "none",
            *verdicts,
            str(len(row["findings"])),
            *(str(counts[answer]) for answer in ANSWERS),
            f"{row['seconds']:.0f}",
            (row["gonogo"] or "unknown")[:SHORT],
            blamed(row),
        ]
        yield f"| {' | '.join(cells)} |"


def blamed(row: Json) -> str:
    """Whose findings there are: the contract's, the audit's own, or none."""
    known = {"map" in found["stations"] for found in row["findings"]}
    words = {True: "contract", False: "audit"}
    return " and ".join(words[kind] for kind in sorted(known, reverse=True)) or "nothing"


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
    flown = sum(verdict(row, "audit") != "none" for row in rows)
    return (
        f"{flown} of {len(rows)} environments could be installed and were audited: "
        f"{confirmed + refuted} findings, {confirmed} confirmed, {refuted} refuted. "
        "A finding counts once for an environment, however many of its tasks show it."
    )


def earlier(number: int, entry: Json) -> str:
    """What an earlier pass came to."""
    right = entry["findings"] - entry["refuted"]
    return (
        f"Earlier pass {number}, with an earlier gonogo, on {entry['environments']} environments: {entry['findings']} "
        f"findings, {right} confirmed, {entry['refuted']} refuted. The auditor was changed after it: "
        f"{one_line(entry['changed'])}."
    )


def afterwards(since: str) -> Iterator[str]:
    """What changed in gonogo after the pass on record, where anything did."""
    if since:
        yield f"After this pass the auditor was changed again: {one_line(since)}.\n"


def successes(rows: list[Json]) -> Iterator[str]:
    """What success was said to be, where it was, and what came of it."""
    for row in rows:
        if row["success"] is not None:
            said = "; ".join(told(sheet) for sheet in row["judged"]) or "not flown"
            yield f"- {row['name']}: `{row['success']}`: {said}"


def reached(sheet: Json) -> bool:
    """Whether anybody succeeds on a task."""
    return sheet["reachability"] is not None and sheet["reachability"]["mean"] > 0


def told(sheet: Json) -> str:
    """Who succeeds on a task, and what is paid most without trying."""
    best, paid = sheet["reachability"], sheet["paid_for_nothing"]
    said = "nobody succeeds"
    if reached(sheet):
        said = f"{best['policy'].rpartition(':')[2]} succeeds in {best['mean']:.2f} of its episodes"
    if paid is None:
        return said
    return f"{said}; not trying is paid {paid['mean']:.2f} of a success's return at most, by {paid['policy']}"


def unknowns(rows: list[Json]) -> Iterator[str]:
    """Why a station gave no verdict, or held, and whose pay was not judged."""
    for row in rows:
        if row["setup"]["problem"]:
            yield f"- {row['name']}: not installed: {one_line(row['setup']['problem'])}"
        for station, answer in row["stations"].items():
            if answer["verdict"] in {"GO", "NO_GO"}:
                continue
            said = answer["reason"] or answer["problem"] or "no word"
            yield f"- {row['name']}, {station}: {one_line(said)}"
        if row["judged"] and not any(reached(sheet) for sheet in row["judged"]):
            yield f"- {row['name']}: nobody succeeds by what is said: only its contract was judged, not its pay"


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
