"""An audit over a real local Ray cluster: the record of one process, whoever is killed meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray", reason="the ray extra is not installed")

from tests.records_made import contract_report
from tests.runners.ray_cluster import cluster, holding, workers

from gonogo import config
from gonogo.auditing.audit import run
from gonogo.auditing.parallel import auditor_fingerprint
from gonogo.env.environment import Env
from gonogo.env.target import resolve, source_of
from gonogo.errors import StaleRecord
from gonogo.records.audit import AuditReport
from gonogo.records.record import Verdict

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("from_the_root")]

Json = dict[str, Any]
ROOT = Path(__file__).parents[2]
CASE = "tests.zoo.cases.rotten_third_task"
CHILD = """
import sys
from pathlib import Path
from gonogo.auditing.audit import run
from tests.auditing.test_over_ray import prepared
run(prepared(Path(sys.argv[1])), over_ray=True)
"""
MARK = "GONOGO_TEST_OVER_RAY"
WRITTEN = ["audit.json", "audit.md", "map.json", "witnesses.jsonl"]


@pytest.fixture
def from_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Import paths are looked up from the working directory."""
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="module", autouse=True)
def _cluster() -> Iterator[None]:
    with cluster():
        yield


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an audit with one job."""
    out = tmp_path_factory.mktemp("alone")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        assert run(prepared(out)) is Verdict.NO_GO
    return out


def prepared(out: Path) -> config.RunConfig:
    """The config of an audit of three tasks, whose map somebody left; the last task is the rotten one."""
    given = {
        "target": f"{CASE}:Defect",
        "out": str(out),
        "audit.reference": f"{CASE}:solve",
        "audit.seeds": 4,
        "audit.search": 200,
    }
    flown = [{"level": level} for level in ("porch", "hall", "vault")]
    source = source_of(resolve(given["target"]))
    contract_report(*flown, source_hash=source).save(out)
    return config.load(None, given)


def record(out: Path) -> Json:
    """The record without when it was made; and the files beside it that were made from it."""
    kept = AuditReport.load(out).model_dump(exclude={"created"})
    assert sorted(path.name for path in out.iterdir()) == WRITTEN
    return {**kept, **{name: (out / name).read_text() for name in ("audit.md", "witnesses.jsonl")}}


def logs(out: Path) -> dict[Path, bytes]:
    """What the logs hold: the flights that have ended, a line each."""
    found = {path: path.read_bytes() for path in out.glob("audit-in-flight/*/*.jsonl")}
    return {path: text[: text.rfind(b"\n") + 1] for path, text in found.items()}


def flights(out: Path) -> list[int]:
    """How many flights each log holds."""
    return [text.count(b"\n") for text in logs(out).values()]


def test_the_record_is_that_of_one_job(alone: Path, tmp_path: Path) -> None:
    assert run(prepared(tmp_path), over_ray=True) is Verdict.NO_GO
    over_ray = record(tmp_path)
    assert over_ray == record(alone)
    assert len(over_ray["tasks"]) == 3
    assert over_ray["findings"]
    assert over_ray["witnesses.jsonl"]


def test_a_worker_killed_in_the_middle_loses_nothing(alone: Path, tmp_path: Path) -> None:
    killed: list[int] = []
    kept: list[bool] = []

    def kill() -> None:
        # Both are to be at it: on a busy machine one may start late, or be between two tasks.
        while len(flights(tmp_path)) < 2 or min(flights(tmp_path)) < 10 or len(killed) != 2:
            time.sleep(0.02)
            killed[:] = workers(".do")
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        before = logs(tmp_path)
        while sum(flights(tmp_path)) < sum(text.count(b"\n") for text in before.values()) + 10:
            time.sleep(0.02)
        now = logs(tmp_path)
        kept.extend(now[path].startswith(text) for path, text in before.items())

    chosen = prepared(tmp_path)
    assassin = threading.Thread(target=kill, daemon=True)
    assassin.start()
    assert run(chosen, over_ray=True) is Verdict.NO_GO
    assassin.join(timeout=10)
    assert len(killed) == 2
    assert kept == [True, True]
    assert record(tmp_path) == record(alone)


def test_a_worker_that_sees_another_source_audits_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = prepared(tmp_path)
    here = auditor_fingerprint(chosen, Env.of(chosen))
    other = replace(here, source="0" * 64)  # what another machine has
    monkeypatch.setattr("gonogo.auditing.parallel.auditor_fingerprint", lambda *_: other)
    with pytest.raises(StaleRecord, match="another source"):
        run(chosen, over_ray=True)
    assert flights(tmp_path) == []


def start(mark: Path, *arguments: str) -> subprocess.Popen[str]:
    """A driver in a process of its own, with its processes marked."""
    return subprocess.Popen(
        [sys.executable, *arguments],
        env={**os.environ, MARK: str(mark)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def none_left(mark: Path) -> bool:
    """Whether the marked processes end within a while."""
    deadline = time.monotonic() + 20
    while left := holding(f"{MARK}={mark}"):
        if time.monotonic() > deadline:
            return not left
        time.sleep(0.2)
    return True


def test_what_a_killed_driver_left_is_gone_on_with_without_ray(alone: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    driver = start(tmp_path, "-c", CHILD, str(out))
    while sum(flights(out)) < 30:
        assert driver.poll() is None, driver.communicate()[0]
        time.sleep(0.02)
    driver.kill()
    driver.wait()
    before = logs(out)
    watched: list[bool] = []

    def watch() -> None:
        while sum(flights(out)) < sum(text.count(b"\n") for text in before.values()) + 10:
            time.sleep(0.02)
        now = logs(out)
        watched.extend(now[path].startswith(text) for path, text in before.items())

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    # At once: the workers may still write.
    assert run(prepared(out)) is Verdict.NO_GO
    watcher.join(timeout=10)
    assert watched
    assert all(watched)
    assert record(out) == record(alone)


def test_the_command_starts_a_cluster_and_leaves_nothing_running(
    alone: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    command = ["-m", "gonogo", "audit", f"{CASE}:Defect", "--ray", "--out", str(out)]
    command += ["--reference", f"{CASE}:solve", "--reset", "level=vault"]
    driver = start(tmp_path, *command, "--seeds", "4", "--budget", "3000")
    said, _ = driver.communicate(timeout=200)
    assert driver.returncode == Verdict.NO_GO, said
    (task,) = AuditReport.load(out).tasks
    assert task.task == {"level": "vault"}
    known = {finding.id for finding in AuditReport.load(alone).findings}
    assert known & {finding.id for finding in AuditReport.load(out).findings}
    assert none_left(tmp_path)
