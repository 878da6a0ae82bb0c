"""A training by two processes that `accelerate launch` starts: the same as by one, also after kill -9."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("trl", reason="the train extra is not installed")

from safetensors.torch import load_file

from gonogo.errors import Misuse
from gonogo.records.files import read_lines
from gonogo.training.processes import Ranks, through

Json = dict[str, Any]

LAUNCH = (
    "-m", "accelerate.commands.launch", "--multi_gpu", "--num_processes", "2",
    "--num_machines", "1", "--mixed_precision", "no", "--dynamo_backend", "no",
    "--main_process_ip", "127.0.0.1", "--main_process_port", "0", "-m", "gonogo",
)  # fmt: skip
ALONE = ("-m", "gonogo")
CLOSE = {"rel": 1e-3, "abs": 1e-4}
"""One process adds up in another order than two do."""
SETTINGS: Json = {
    "seed": 5,
    "model": {"hidden": 32, "intermediate": 48, "layers": 2, "heads": 2, "vocabulary": 300},
    "theme": {"required": False},
    "rollout": {"slots": 8, "max_turns": 4, "max_reply_tokens": 16},
    "train": {
        "validation": {"tasks": {"options": {"split": "train"}, "start": 900}, "episodes": 5},
        "curriculum": {
            # The second is never opened: what was taught of it is imitated beside reinforcement.
            "stages": [{"name": name, "options": {"split": "train"}} for name in ("all", "closed")],
            "promote_at": 1,
        },
        "sft": {
            "episodes": 12, "max_steps": 40, "batch": 4, "validate_every": 20,
            "learning_rate": 1e-2, "noise": {"move": 0.1},
        },
        "grpo": {
            "steps": 4, "tasks_per_step": 2, "group_size": 4, "validate_every": 2, "save_every": 2,
            "imitated": 2,
        },
    },
}  # fmt: skip


def command(how: tuple[str, ...], config: Path) -> list[str]:
    return [sys.executable, *how, "train", "--config", str(config)]


def environment() -> dict[str, str]:
    return {**os.environ, "OMP_NUM_THREADS": "1", "COLUMNS": "300"}


def write(settings: Json, target: Path, out: Path) -> Path:
    path = out.with_suffix(".yaml")
    path.write_text(yaml.safe_dump({**settings, "target": str(target), "out": str(out)}))
    return path


def train(how: tuple[str, ...], config: Path) -> None:
    done = subprocess.run(
        command(how, config), env=environment(), capture_output=True, timeout=400, check=False
    )
    assert done.returncode == 0, done.stderr.decode()


def rows(out: Path) -> list[Json]:
    return [
        {k: v for k, v in row.items() if k != "seconds"}
        for row in read_lines(out / "training.jsonl")
    ]


@pytest.fixture(scope="module")
def alone(gridworld: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run's folder of a training by one process."""
    out = tmp_path_factory.mktemp("alone") / "run"
    train(ALONE, write(SETTINGS, gridworld, out))
    return out


def check_same(out: Path, alone: Path) -> None:
    """The rows of the log, the phases and the weights are those of one process."""
    ours, theirs = rows(out), rows(alone)
    assert len(ours) == len(theirs) == 41 + 5
    for one, other in zip(ours, theirs, strict=True):
        assert one.keys() == other.keys()
        numbers = {k: v for k, v in one.items() if isinstance(v, float)}
        assert numbers == pytest.approx({k: other[k] for k in numbers}, **CLOSE), one["step"]
        assert {k: one[k] for k in ("stage", "step")} == {k: other[k] for k in ("stage", "step")}
    record, theirs_too = (json.loads((each / "train.json").read_text()) for each in (out, alone))
    assert record["verdict"] == "GO"
    assert record["phases"]["grpo"]["best_step"] == theirs_too["phases"]["grpo"]["best_step"]
    for name in ("untrained", "sft", "trained"):
        kept, other = (
            load_file(each / "models" / name / "model.safetensors") for each in (out, alone)
        )
        assert kept.keys() == other.keys()
        for key, value in kept.items():
            assert value.numpy() == pytest.approx(other[key].numpy(), **CLOSE)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_two_processes_train_the_same_as_one(gridworld: Path, tmp_path: Path, alone: Path) -> None:
    out = tmp_path / "run"
    train(LAUNCH, write(SETTINGS, gridworld, out))
    check_same(out, alone)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_two_processes_that_were_killed_go_on(gridworld: Path, tmp_path: Path, alone: Path) -> None:
    out = tmp_path / "run"
    config, log = write(SETTINGS, gridworld, out), out / "training.jsonl"
    with subprocess.Popen(
        command(LAUNCH, config),
        env=environment(),
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        deadline = time.monotonic() + 300
        while process.poll() is None and time.monotonic() < deadline:
            if log.is_file() and any(
                (row["stage"], row["step"]) == ("grpo", 3) for row in read_lines(log)
            ):
                break
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGKILL)
    assert not (out / "train.json").exists()
    train(LAUNCH, config)
    check_same(out, alone)


def test_parts_are_even_and_in_order() -> None:
    ranks = Ranks()
    assert (ranks.count, ranks.rank, ranks.main) == (1, 0, True)
    assert ranks.gather([1, 2]) == [1, 2] and ranks.any(True) and not ranks.any(False)
    for count in (1, 2, 3, 5):
        ranks.count = count
        for total in (0, 1, 6, 7):
            parts = []
            for rank in range(count):
                ranks.rank = rank
                parts.append(list(ranks.part(total)))
            assert [number for part in parts for number in part] == list(range(total))
            assert max(map(len, parts)) - min(map(len, parts)) <= 1
    ranks.count = 2
    assert ranks.share(6, "train.sft.batch") == 3
    with pytest.raises(
        Misuse, match=r"train\.sft\.batch must be a multiple of the 2 processes, not 5"
    ):
        ranks.share(5, "train.sft.batch")


def test_what_is_computed_goes_through_the_wrapper_and_leaves_the_model_as_it_was() -> None:
    import torch

    calls = []

    class Wrapper(torch.nn.Module):
        def __init__(self, module: torch.nn.Module) -> None:
            super().__init__()
            self.module = module

        def forward(self, *given: torch.Tensor) -> torch.Tensor:
            calls.append(len(given))
            return self.module(*given)

    model = torch.nn.Linear(2, 2)
    x = torch.ones(1, 2)
    assert torch.equal(
        through(Wrapper(model), model, lambda given: model(given) * 2, x), model(x) * 2
    )
    assert calls == [1]
    assert torch.equal(through(model, model, model, x), model(x))
    assert calls == [1]


FAILS = """
import sys
from gonogo.training.processes import Ranks
from gonogo.errors import EnvironmentFailure

def work():
    if ranks.main:
        raise EnvironmentFailure("traces: the server is gone")
    return [ranks.rank]

ranks = Ranks()
assert ranks.together(lambda: [ranks.rank]) == [0, 1]
try:
    ranks.together(work)
except EnvironmentFailure as error:
    print(error, error.exit_code)
ranks.leave()
"""


def test_what_fails_in_one_process_ends_all_by_the_same_words() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shared = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", FAILS],
            env={**environment(), **shared, "RANK": rank, "LOCAL_RANK": rank},
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in ("0", "1")
    ]
    try:
        said = [process.communicate(timeout=120)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
    assert said == ["traces: the server is gone 3\n"] * 2
