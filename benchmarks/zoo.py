"""How much of the zoo the auditor finds, and what it finds where nothing is: writes benchmarks/zoo.json.

Each pair is audited as a stranger would audit it, map first: by import path, with the pair's ``solve`` as the policy
that succeeds, no reset options, each in a process of its own. A defect is found where one of the findings is the
one that the pair is named for, or another that the pair declares to be as right; a finding in a sound look-alike
is a false positive. What is merely suspicious, and blocks nothing, counts for neither. Figures are given over all
pairs, and apart for those that the auditor's rules were written beside (``cases``) and those that its authors had not
seen (``unseen``).

Run from the repository's root: python benchmarks/zoo.py [--jobs N] [--sets SET ...] [--only NAME ...]
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from command_line import at_least_one
from tests.zoo.cases import CLASSES, UNSEEN, Pair, pairs

from gonogo import config
from gonogo.errors import GonogoError
from gonogo.pipeline import audit as pipeline
from gonogo.records.audit import AuditReport
from gonogo.records.files import write_record
from gonogo.records.provenance import provenance
from gonogo.statistics import wilson

Json = dict[str, Any]
RECORD = Path(__file__).with_name("zoo.json")
ROOT = Path(__file__).parents[1]
BUDGET = 2000


SETS = {"cases": "tests.zoo.cases", "unseen": UNSEEN}


def audit(module: str, case: str) -> Json:
    """Audit one class of a pair; runs in a process of its own pool."""
    os.chdir(ROOT)
    began = time.monotonic()
    with (
        tempfile.TemporaryDirectory() as out,
        redirect_stdout(io.StringIO()),
        redirect_stderr(io.StringIO()),
    ):
        fields = {
            "target": f"{module}:{case}",
            "out": out,
            "audit.reference": f"{module}:solve",
            "audit.search": BUDGET,
            "audit.minutes": 60.0,
        }
        record, failed = None, None
        try:
            pipeline.audit(config.load(None, fields))
            record = AuditReport.load(Path(out))
        except GonogoError as error:
            failed = str(error)
    return {
        "case": f"{module}:{case}",
        "verdict": None if record is None else record.verdict.name,
        "found": []
        if record is None
        else sorted({name for f in record.findings if f.blocks for name in f.names}),
        "notes": [] if record is None else list(record.notes),
        "failed": failed,
        "seconds": round(time.monotonic() - began, 1),
    }


def rates(rows: list[Json]) -> Json:
    """Recall over the defects and false positives over the look-alikes."""
    return {
        "recall": wilson([row["hit"] for row in rows]).model_dump(mode="json"),
        "false_positives": wilson([bool(row["sound"]["found"]) for row in rows]).model_dump(
            mode="json"
        ),
        "pairs": len(rows),
    }


def row_of(pair: Pair, kind: str, defect: Json, sound: Json) -> Json:
    """What the record says of a pair."""
    expected = [pair.finding, *pair.also]
    hit = bool(set(expected) & set(defect["found"]))
    return {"set": kind, "expected": expected, "hit": hit, "defect": defect, "sound": sound}


def main() -> None:
    """Audit all pairs and write the record."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--jobs", type=at_least_one, default=2, help="audits at once")
    parser.add_argument("--only", nargs="*", help="names of pairs; nothing is written then")
    parser.add_argument(
        "--sets", nargs="*", choices=SETS, default=list(SETS), help="nothing is written unless all"
    )
    chosen = parser.parse_args()
    listed = [
        (pair, kind)
        for kind in chosen.sets
        for pair in pairs(SETS[kind])
        if not chosen.only or pair.name in chosen.only
    ]
    rows = []
    with ProcessPoolExecutor(chosen.jobs) as pool:
        both = [
            [pool.submit(audit, f"{pair.package}.{pair.name}", case) for case in CLASSES]
            for pair, _ in listed
        ]
        for (pair, kind), futures in zip(listed, both, strict=True):
            rows.append(row_of(pair, kind, *(future.result() for future in futures)))
            print(json.dumps(rows[-1]), flush=True)
    if chosen.only or len(chosen.sets) < len(SETS):
        return
    write(rows)


def write(rows: list[Json]) -> None:
    """Write the record of all pairs, and print its figures."""
    apart = {kind: rates([row for row in rows if row["set"] == kind]) for kind in SETS}
    body = {**rates(rows), **apart, "budget": BUDGET, "pairs_audited": rows, **provenance()}
    write_record(RECORD, "zoo", 1, body)
    print(json.dumps({name: body[name] for name in ("recall", "false_positives", *SETS)}))


if __name__ == "__main__":
    main()
