"""Planted defects that nobody wrote who knows a rule of the audit: writes benchmarks/planted.json and docs/planted.md.

    python benchmarks/planted.py --fly [--sets SET ...] [--only PAIR ...] [--again] [--jobs N] [--limit-s S]
    python benchmarks/planted.py --check [--sets SET ...] [--only PAIR ...]
    python benchmarks/planted.py                              only the page, from the record

A pair of benchmarks/planted/SET/PAIR is an environment with a defect in its reward (``planted``) and its twin, which
differs by what mends it (``sound``). ``label.md`` says what is planted. ``exploit.py`` and ``honest.py`` are policies,
which ``--check`` flies in both: the exploit has to earn most of what honest work earns in the one, and little in the
other. Each side is audited as a stranger audits it, without flags, but for a budget in steps in place of minutes. What
is on record is left alone unless --again is given.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import fmean
from threading import Lock
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from command_line import at_least_one, seconds
from field import read_json, success, watch
from fixes import findings_of, why_not
from wild import commit_of

import gonogo as gg
from gonogo.errors import MissingRecord
from gonogo.records.files import read_record, write_record, write_text
from gonogo.records.provenance import provenance
from gonogo.statistics import wilson
from gonogo.wire import Action, Observation

Json = dict[str, Any]
ROOT = Path(__file__).parents[1]
SETS = Path(__file__).with_suffix("")
RECORD = Path(__file__).with_suffix(".json")
PAGE = ROOT / "docs" / "planted.md"
SCRATCH = ROOT / "runs" / "planted"
KIND, VERSION = "planted", 1
SIDES = ("planted", "sound")
BUDGET = ["--budget", "20000"]
LOOKED_AT = frozenset({"one"})
"""Sets that were read while rules were written: they measure no more than that those rules work."""
CONTRACT = "contract"
"""Severity of a finding that says nothing about the reward."""
SUSPICIOUS = "suspicious"
MOST, LITTLE = 0.8, 0.5
"""Shares of what honest work earns: the exploit's in the planted environment at least, in its twin at most."""
FLOWN = 8

Policy = Callable[[Observation, Json], Action]


def pairs_of(sets: Sequence[str], only: Sequence[str]) -> list[Path]:
    """The folders of the pairs.

    Args:
        sets: Names of sets; all where there are none.
        only: Names of pairs; all where there are none.
    """
    folders = sorted(path.parent for path in SETS.glob("*/*/label.md"))
    return [
        folder
        for folder in folders
        if (not sets or folder.parent.name in sets) and (not only or folder.name in only)
    ]


def name_of(folder: Path) -> str:
    """A pair's name, with its set."""
    return f"{folder.parent.name}/{folder.name}"


def audited(folder: Path, side: str, limit_s: float) -> Json:
    """One side, audited once.

    Args:
        folder: The pair's.
        side: Which of the two.
        limit_s: Seconds after which it is given up.
    """
    out = SCRATCH / name_of(folder) / side
    shutil.rmtree(out, ignore_errors=True)
    words = ["audit", str(folder / side), *BUDGET, "--jobs", "1", "--out", str(out)]
    call = [sys.executable, "-m", "gonogo", *words]
    seen = watch(call, limit_s, cwd=ROOT, env={**os.environ, "COLUMNS": "200"})
    record, mapped = read_json(out / "audit.json"), read_json(out / "map.json")
    return {
        "verdict": record.get("verdict"),
        "why_not": None if record else why_not(seen, limit_s),
        "seconds": seen.seconds,
        "success": success(record),
        "flown": record.get("flown"),
        "findings": findings_of(mapped, record),
    }


def blocking(side: Json) -> list[str]:
    """What a side's reward is accused of, so that its verdict is NO-GO."""
    return [
        found["id"] for found in side["findings"] if found["severity"] not in {CONTRACT, SUSPICIOUS}
    ]


def named(row: Json) -> bool:
    """Whether the defect is named: a finding about the reward blocks, and does not block the twin."""
    return bool(set(blocking(row["planted"])) - set(blocking(row["sound"])))


def rows_on_record() -> dict[str, Json]:
    """What is on record, by pair."""
    try:
        return {row["name"]: row for row in read_record(RECORD, KIND, VERSION)["pairs"]}
    except MissingRecord:
        return {}


def fly(chosen: argparse.Namespace) -> None:
    """Audit what is not on record, a line each; each pair is put on record when both its sides have ended."""
    rows, lock, auditor = rows_on_record(), Lock(), commit_of(ROOT)

    def one(folder: Path) -> None:
        name = name_of(folder)
        sides = {side: audited(folder, side, chosen.limit_s) for side in SIDES}
        row = {"name": name, "gonogo": auditor, **sides}
        with lock:
            rows[name] = row
            ordered = [rows[key] for key in sorted(rows)]
            write_record(RECORD, KIND, VERSION, {"pairs": ordered, **provenance()})
        said = "named" if named(row) else "not named"
        print(f"{name}: {said}; {told(row['planted'])} | {told(row['sound'])}", flush=True)

    waiting = [
        folder
        for folder in pairs_of(chosen.sets, chosen.only)
        if chosen.again or name_of(folder) not in rows
    ]
    with ThreadPoolExecutor(chosen.jobs) as pool:
        list(pool.map(one, waiting))


def told(side: Json) -> str:
    """A side's verdict and findings, those in italics that block nothing."""
    if side["verdict"] is None:
        return str(side["why_not"])
    found = [
        f"*{each['id']}*" if each["severity"] == SUSPICIOUS else each["id"]
        for each in side["findings"]
    ]
    return f"{side['verdict'].replace('_', '-')}{': ' if found else ''}{', '.join(found)}"


def policy_in(file: Path) -> Policy:
    """The policy that a file defines."""
    known: Json = {"__name__": file.stem}
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), known)
    policy: Policy = known["policy"]
    return policy


def checked(folder: Path) -> tuple[dict[str, dict[str, float]], bool]:
    """What both policies earn on both sides, and whether that is as a pair promises.

    Args:
        folder: The pair's.
    """
    found: dict[str, dict[str, float]] = {}
    for side in SIDES:
        with gg.load_environment(str(folder / side)) as env:
            found[side] = {
                name: fmean(
                    episode.episode_return or 0.0
                    for episode in gg.rollout(env, [policy_in(folder / f"{name}.py")], tasks=FLOWN)
                )
                for name in ("exploit", "honest")
            }
    planted, sound = found["planted"], found["sound"]
    pays = planted["exploit"] >= MOST * planted["honest"]
    return found, pays and sound["exploit"] <= LITTLE * sound["honest"]


def check(chosen: argparse.Namespace) -> int:
    """Print what each pair's policies earn; the exit code."""
    failed = 0
    for folder in pairs_of(chosen.sets, chosen.only):
        found, holds = checked(folder)
        earned = "; ".join(
            f"{side}: exploit {pays['exploit']:.3g}, honest {pays['honest']:.3g}"
            for side, pays in found.items()
        )
        print(f"{name_of(folder)}: {'as promised' if holds else 'NOT AS PROMISED'}; {earned}")
        failed += not holds
    return 1 if failed else 0


def share(holds: Sequence[bool]) -> str:
    """How many of some hold, with the interval of the share."""
    rate = wilson(holds)
    among = (
        "" if rate.ci95 is None else f": {rate.mean:.2f} ({rate.ci95[0]:.2f} to {rate.ci95[1]:.2f})"
    )
    return f"{sum(holds)} of {len(holds)}{among}"


def page(rows: Sequence[Json]) -> str:
    """The page.

    Args:
        rows: What is on record.
    """
    commits = sorted({row["gonogo"][:8] for row in rows})
    groups = sorted({row["name"].partition("/")[0] for row in rows})
    lines = [
        "# Planted defects",
        "",
        "Pairs of environments that authors wrote who knew no rule of the audit and read none of its code. One of a "
        "pair pays for something that is not the work; its twin differs by what mends that. Each side is audited "
        "without flags, as a stranger audits it, but for a budget of 20,000 steps in place of two minutes. The "
        "defect is *named* if a finding about the reward blocks, and does not block the twin; the twin is *accused* "
        "if any finding about its reward blocks. Findings in italics are suspicions, which block nothing. Intervals "
        "are Wilson's, 95 %.",
        "",
        f"Written by [planted.py](../benchmarks/planted.py) from [its record](../benchmarks/planted.json); gonogo at "
        f"{', '.join(commits)}.",
        "",
        "| set | named | accused |",
        "|---|---|---|",
    ]
    for group in groups:
        some = [row for row in rows if row["name"].startswith(f"{group}/")]
        seen = "read while rules were written" if group in LOOKED_AT else "not read before"
        hits, false = [named(row) for row in some], [bool(blocking(row["sound"])) for row in some]
        lines.append(f"| {group} ({seen}) | {share(hits)} | {share(false)} |")
    lines += ["", "| pair | planted | sound | named |", "|---|---|---|---|"]
    lines += [
        f"| [{row['name']}](../benchmarks/planted/{row['name']}/label.md) | {told(row['planted'])} | "
        f"{told(row['sound'])} | {'yes' if named(row) else 'no'} |"
        for row in rows
    ]
    return "\n".join([*lines, ""])


def main() -> int:
    """Fly or check what is asked for, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--fly", action="store_true", help="audit what is not on record")
    parser.add_argument("--check", action="store_true", help="fly the policies of each pair")
    parser.add_argument("--sets", nargs="*", default=[], help="names of sets")
    parser.add_argument("--only", nargs="*", default=[], help="names of pairs")
    parser.add_argument("--again", action="store_true", help="also what is on record")
    parser.add_argument("--jobs", type=at_least_one, default=2, help="audits at once")
    parser.add_argument("--limit-s", type=seconds, default=900.0, help="seconds of an audit")
    chosen = parser.parse_args()
    if chosen.check:
        return check(chosen)
    if chosen.fly:
        fly(chosen)
    write_text(PAGE, page(list(rows_on_record().values())))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
