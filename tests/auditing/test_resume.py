"""An audit that is killed goes on where it was, and its record is that of one that was not, for any number of jobs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.records_made import contract_report

from gonogo.env.target import resolve, source_of
from gonogo.records.audit import AuditReport

Json = dict[str, Any]
ROOT = Path(__file__).parents[2]
CASE = "tests.zoo.cases.rotten_third_task"
CHILD = """
import json, sys
from gonogo import config
from gonogo.auditing.audit import run
run(config.load(None, json.loads(sys.argv[1])))
"""


def start(out: Path, jobs: int) -> subprocess.Popen[bytes]:
    """An audit of two tasks in a process of its own."""
    given = {
        "target": f"{CASE}:Defect",
        "out": str(out),
        "audit.reference": f"{CASE}:solve",
        "audit.seeds": 4,
        "audit.search": 200,
        "audit.jobs": jobs,
    }
    flown = [{"level": level} for level in ("porch", "vault")]
    source = source_of(resolve(given["target"]))
    contract_report(*flown, source_hash=source).save(out)
    command = [sys.executable, "-c", CHILD, json.dumps(given)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, start_new_session=True)


def flights(out: Path) -> int:
    """How many flights the logs hold."""
    return sum(log.read_bytes().count(b"\n") for log in out.glob("audit-in-flight/*/*.jsonl"))


def record(out: Path) -> Json:
    """The record without what may differ: when, and how many jobs."""
    kept = AuditReport.load(out).model_dump(exclude={"created"})
    del kept["config"]["audit"]["jobs"]
    return kept


@pytest.mark.slow
def test_a_killed_audit_goes_on_and_ends_as_if_it_had_not_been(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert start(whole, jobs=1).wait() == 0
    for least in (10, 60):
        process = start(killed, jobs=2)
        while flights(killed) < least:
            assert process.poll() is None, "the audit ended before it could be killed"
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert flights(killed) >= least
        assert not AuditReport.path(killed).exists()
    assert start(killed, jobs=2).wait() == 0
    assert record(killed) == record(whole)
    assert record(whole)["findings"]
    assert not (killed / "audit-in-flight").exists()
    names = ["audit.json", "audit.md", "map.json", "witnesses.jsonl"]
    assert sorted(path.name for path in killed.iterdir()) == names
    for name in ("audit.md", "witnesses.jsonl"):
        assert (killed / name).read_text() == (whole / name).read_text()
