"""How much of the zoo the auditor finds, and what it finds where nothing is: writes benchmarks/zoo.json.

Each pair of tests/zoo/cases is audited as a stranger would audit it: by import path, with the pair's ``solve`` as
the policy that succeeds, no reset options, each in a process of its own. A defect is found where one of the
findings is the one that the pair is named for, or another that the pair declares to be as right; a finding in a sound
look-alike is a false positive. Figures are given over the pairs whose defect the audit claims to find, and over all.

Run from the repository's root: python benchmarks/zoo.py [--jobs N] [--only NAME ...]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.zoo.cases import Pair, pairs

from gonogo.records import provenance, write_record
from gonogo.stations.audit.judge import CLAIMED
from gonogo.statistics import wilson

Json = dict[str, Any]
RECORD = Path(__file__).with_name("zoo.json")
ROOT = Path(__file__).parents[1]
LONGEST_S = 300


def audit(pair: Pair, name: str, out: Path) -> Json:
    """Audit one class of a pair."""
    module = f"tests.zoo.cases.{pair.name}"
    command = [sys.executable, "-m", "gonogo", "audit", f"{module}:{name}", "--out", str(out)]
    command += ["--reference", f"{module}:solve"]
    began = time.monotonic()
    ended = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=LONGEST_S, check=False
    )
    seconds = time.monotonic() - began
    file = out / "audit.json"
    record = json.loads(file.read_text()) if file.exists() else {"findings": [], "notes": []}
    return {
        "case": f"{pair.name}:{name}",
        "exit_code": ended.returncode,
        "found": sorted({finding["id"] for finding in record["findings"]}),
        "notes": [note for note in record["notes"] if "default task" not in note],
        "failed": None if file.exists() else ended.stderr[-500:],
        "seconds": round(seconds, 1),
    }


def rates(rows: list[Json]) -> Json:
    """Recall over the defects and false positives over the look-alikes."""
    return {
        "recall": wilson([row["hit"] for row in rows]).to_json(),
        "false_positives": wilson([bool(row["sound"]["found"]) for row in rows]).to_json(),
        "pairs": len(rows),
    }


def main() -> None:
    """Audit all pairs and write the record."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=2, help="audits at once")
    parser.add_argument("--only", nargs="*", help="names of pairs; nothing is written then")
    chosen = parser.parse_args()
    listed = [pair for pair in pairs() if not chosen.only or pair.name in chosen.only]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(chosen.jobs) as pool:
        both = {
            (pair.name, name): pool.submit(audit, pair, name, Path(folder) / pair.name / name)
            for pair in listed
            for name in ("Defect", "Sound")
        }
        rows = []
        for pair in listed:
            defect, sound = (both[pair.name, name].result() for name in ("Defect", "Sound"))
            expected = [pair.finding, *pair.also]
            hit = bool(set(expected) & set(defect["found"]))
            claimed = pair.finding in CLAIMED
            rows.append(
                {
                    "expected": expected,
                    "hit": hit,
                    "claimed": claimed,
                    "defect": defect,
                    "sound": sound,
                }
            )
            print(json.dumps(rows[-1]), flush=True)
    if chosen.only:
        return
    body = {
        **rates([row for row in rows if row["claimed"]]),
        "over": "the pairs whose defect is one that the audit claims to find (claimed)",
        "all": rates(rows),
        "cases": rows,
        **provenance(),
    }
    write_record(RECORD, "zoo", 1, body)
    print(json.dumps({name: body[name] for name in ("recall", "false_positives", "all")}))


if __name__ == "__main__":
    main()
