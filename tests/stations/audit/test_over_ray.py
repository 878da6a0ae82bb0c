"""An audit over a real local Ray cluster: the record of one process, whoever is killed meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray", reason="the ray extra is not installed")

from tests.adapters.ray_cluster import cluster, workers

from gonogo import config
from gonogo.adapters.sources import source_of
from gonogo.adapters.targets import resolve
from gonogo.errors import StaleRecord
from gonogo.records import AUDIT, MAP, Verdict
from gonogo.stations.audit.station import run

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("from_the_root")]

Json = dict[str, Any]
ROOT = Path(__file__).parents[3]
CASE = "tests.zoo.cases.rotten_third_task"
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
        "audit.budget": 200,
    }
    flown = [{"options": {"level": level}} for level in ("porch", "hall", "vault")]
    body = {"tasks": {"flown": flown}, "items": [], "findings": [], "reason": "mapped"}
    body["reward"] = {"places": [], "breakdown": [], "rubric": {}, "declared": None}
    MAP.write(out, {**body, "source_hash": source_of(resolve(given["target"]))})
    return config.load(None, given)


def record(out: Path) -> Json:
    """The record without when it was made; and the files beside it that were made from it."""
    kept = AUDIT.read(out)
    del kept["created"]
    assert sorted(path.name for path in out.iterdir()) == WRITTEN
    return {**kept, **{name: (out / name).read_text() for name in ("audit.md", "witnesses.jsonl")}}


def logs(out: Path) -> dict[Path, bytes]:
    """What the logs hold: the flights that have ended, a line each."""
    found = {path: path.read_bytes() for path in out.glob("audit-in-flight/*/*.jsonl")}
    return {path: text[: text.rfind(b"\n") + 1] for path, text in found.items()}


def flights(out: Path) -> int:
    """How many flights the logs hold."""
    return sum(text.count(b"\n") for text in logs(out).values())


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
        while flights(tmp_path) < 30:
            time.sleep(0.02)
        killed.extend(workers(".do"))
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        before = logs(tmp_path)
        while flights(tmp_path) < sum(text.count(b"\n") for text in before.values()) + 10:
            time.sleep(0.02)
        now = logs(tmp_path)
        kept.extend(now[path].startswith(text) for path, text in before.items())

    chosen = prepared(tmp_path)
    assassin = threading.Thread(target=kill, daemon=True)
    assassin.start()
    assert run(chosen, over_ray=True) is Verdict.NO_GO
    assassin.join(timeout=10)
    assert len(killed) == len(kept) == 2
    assert all(kept)
    assert record(tmp_path) == record(alone)


def test_a_worker_that_sees_another_source_audits_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = prepared(tmp_path)
    other = "gonogo.stations.audit.side_by_side.source_of"
    monkeypatch.setattr(other, lambda _: "0" * 64)  # what another machine has
    with pytest.raises(StaleRecord, match="another source"):
        run(chosen, over_ray=True)
    assert flights(tmp_path) == 0


def test_the_command_starts_a_cluster_and_leaves_nothing_running(
    alone: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "gonogo", "audit", f"{CASE}:Defect", "--ray"]
    command += ["--reference", f"{CASE}:solve", "--reset", "level=vault", "--seeds", "4"]
    command += ["--budget", "200", "--out", str(tmp_path)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    said, _ = process.communicate(timeout=200)
    assert process.returncode == Verdict.NO_GO, said
    (task,) = AUDIT.read(tmp_path)["tasks"]
    assert task["task"] == {"level": "vault"}
    known = {finding["id"] for finding in AUDIT.read(alone)["findings"]}
    assert known & {finding["id"] for finding in AUDIT.read(tmp_path)["findings"]}
    left = subprocess.run(["ps", "-eo", "sid"], capture_output=True, text=True, check=True)
    assert str(process.pid) not in left.stdout.split()
