"""What line coverage brings to exploration: audits with and without it, at the same budget. Writes ablation.json.

    python benchmarks/ablation.py --clones FOLDER [--draw N] [--only OWNER/NAME ...] [--budget STEPS] [--until HH:MM]
    python benchmarks/ablation.py                  only the table, from the record

Environments are those of a draw of the field (benchmarks/field.yaml), in the drawn order; --clones and --scratch are as
in benchmarks/field.py. Each is audited twice, from fresh copies, one task at a time and with a budget of steps, which a
busy machine does not change. Without coverage, the worker measures no lines, so that exploration goes by what is seen
alone: everything else is the same code. What is on record is left alone unless --again is given.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from command_line import at_least_one, folder_there, time_of_day
from field import (
    Json,
    each,
    findings,
    folder_name,
    gonogo_words,
    prepare,
    read_json,
    watch,
)
from field_page import PAY, SUSPICIOUS, read_draws
from wild import Record, commit_of

from gonogo.errors import MissingRecord
from gonogo.records.files import read_record

ROOT = Path(__file__).parents[1]
RECORD = Path(__file__).with_suffix(".json")
SCRATCH = ROOT / "runs" / "ablation"
KIND, VERSION = "ablation", 1
SIDES = ("with", "without")
BUDGET = 12_000
LIMIT_S = 900
"""Seconds of one audit; the budget is meant to end it long before."""
WITHOUT = (
    "from gonogo.auditing.session import AuditSession\n"
    "AuditSession.cover = lambda self: None\n"
    "from gonogo.cli import main\n"
    "main()\n"
)
"""The command line, in whose audits no lines are measured."""


def flown(entry: Json, side: str, chosen: argparse.Namespace) -> Json:
    """Audit one environment on one side, and say what came of it."""
    prepared = prepare(entry, chosen.clones, chosen.scratch / side)
    start = ["-m", "gonogo"] if side == "with" else ["-c", WITHOUT]
    words = ["audit", "--jobs", "1", "--budget", str(chosen.budget)]
    seen = watch(
        [sys.executable, *start, *gonogo_words(*words)],
        LIMIT_S,
        cwd=prepared.work,
        env={**os.environ, "COLUMNS": "200"},
    )
    record = read_json(prepared.work / "out" / "audit.json")
    sheets = [sheet for sheet in record.get("tasks", []) if sheet.get("coverage")]
    return {
        "verdict": record.get("verdict"),
        "seconds": seen.seconds,
        "findings": [[f["id"], f["severity"]] for f in findings(record)],
        "best": max((s["coverage"]["best"] or 0.0 for s in sheets), default=None),
    }


def examine(entry: Json, chosen: argparse.Namespace) -> Json:
    """Audit one environment on both sides."""
    return {
        "name": entry["name"],
        "commit": commit_of(chosen.clones / folder_name(entry["name"])),
        "gonogo": commit_of(ROOT),
        "budget": chosen.budget,
        **{side: flown(entry, side, chosen) for side in SIDES},
    }


def ran(row: Json) -> bool:
    """Whether both audits came to a verdict."""
    return all(row[side]["verdict"] is not None for side in SIDES)


def blocking(side: Json) -> list[str]:
    """Ids of what blocks."""
    return [name for name, severity in side["findings"] if severity != SUSPICIOUS]


def figures(rows: list[Json]) -> Iterator[tuple[str, Any, Any]]:
    """What is compared, with coverage and without it."""
    both = [row for row in rows if ran(row)]

    def sides(count: Any) -> tuple[Any, Any]:
        return tuple(count([row[side] for row in both]) for side in SIDES)  # type: ignore[return-value]

    yield "NO-GO", *sides(lambda told: sum(side["verdict"] == "NO_GO" for side in told))
    yield "findings that block", *sides(lambda told: sum(len(blocking(side)) for side in told))
    yield (
        "findings that block, about pay",
        *sides(lambda told: sum(kind in PAY for side in told for _, kind in side["findings"])),
    )
    yield "findings, suspicions too", *sides(lambda told: sum(len(s["findings"]) for s in told))
    more = [(row["with"]["best"] or 0.0) - (row["without"]["best"] or 0.0) for row in both]
    yield (
        "higher best return of exploration",
        sum(m > 1e-9 for m in more),
        sum(m < -1e-9 for m in more),
    )
    yield (
        "median seconds",
        *sides(lambda told: round(statistics.median(s["seconds"] for s in told))),
    )


def table(rows: list[Json]) -> str:
    """The comparison in Markdown."""
    both = [row for row in rows if ran(row)]
    if not both:
        return "nothing ran on both sides yet"
    budgets = ", ".join(sorted({str(row["budget"]) for row in both}))
    commits = ", ".join(sorted({(row["gonogo"] or "unknown")[:8] for row in both}))
    lines = [
        f"{len(both)} environments ran on both sides, {budgets} steps each; gonogo at {commits}.",
        "",
        "| what | with coverage | without |",
        "|---|---|---|",
        *(f"| {what} | {one} | {other} |" for what, one, other in figures(rows)),
    ]
    return "\n".join(lines)


def main() -> None:
    """Audit where clones are given; print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--clones", type=folder_there, help="folder of the clones")
    parser.add_argument("--draw", type=int, default=1, metavar="N", help="which draw of the field")
    parser.add_argument("--only", nargs="*", metavar="OWNER/NAME")
    parser.add_argument("--again", action="store_true", help="also what is on record")
    parser.add_argument(
        "--budget", type=at_least_one, default=BUDGET, help="steps and resets of an audit"
    )
    parser.add_argument(
        "--until",
        type=time_of_day,
        metavar="HH:MM",
        help="begin nothing from the next such time on",
    )
    parser.add_argument("--jobs", type=at_least_one, default=1, help="environments at once")
    parser.add_argument("--scratch", type=Path, default=SCRATCH, help="where the runs go")
    parser.add_argument("--out", type=Path, default=RECORD, help="the record")
    chosen = parser.parse_args()
    draws = read_draws()
    if not 1 <= chosen.draw <= len(draws):
        parser.error(f"--draw is 1 to {len(draws)}, not {chosen.draw}")
    if chosen.clones is not None:
        drawing = draws[chosen.draw - 1]
        entries = [e for e in drawing["field"] if (chosen.clones / folder_name(e["name"])).is_dir()]
        for side in SIDES:
            (chosen.scratch / side).mkdir(parents=True, exist_ok=True)
        os.environ["XDG_CACHE_HOME"] = str((chosen.scratch / "cache").absolute())
        os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        record = Record(chosen.out, KIND, VERSION, [entry["name"] for entry in entries])
        named = [e for e in entries if not chosen.only or e["name"] in chosen.only]

        def one(entry: Json) -> str:
            row = examine(entry, chosen)
            record.add(row)
            return f"{entry['name']}: " + "; ".join(
                f"{side}: {row[side]['verdict']}, {len(row[side]['findings'])} findings, "
                f"{row[side]['seconds']:.0f} s"
                for side in SIDES
            )

        each(chosen, [e for e in named if chosen.again or e["name"] not in record.rows], one)
    try:
        print(table(read_record(chosen.out, KIND, VERSION)["environments"]))
    except MissingRecord:
        print("nothing is on record yet")


if __name__ == "__main__":
    main()
