"""What a later phase would refuse is found before the first one."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

from tests.training.rehearsing import config, dry
from tests.training.small_trainings import chat_folder

from gonogo.config import LoraConfig, ModelConfig
from gonogo.errors import DiskFailure, Misuse
from gonogo.models.memory import GB
from gonogo.records.record import Verdict
from gonogo.training import grpo as trl_grpo
from gonogo.training import phases
from gonogo.training.preflight import check_disk, check_layers


def test_what_a_trainer_refuses_is_found_before_anything_flies(
    gridworld: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """Whatever it is: here the schedule that this very config once had."""
    falling = {"lr_scheduler_type": "polynomial", "lr_scheduler_kwargs": {"lr_end": 5e-4}}
    monkeypatch.setattr(trl_grpo, "schedule", lambda config: falling)
    run = config(gridworld, tmp_path / "out")
    verdict, said = dry(capsys, run)
    assert verdict is Verdict.NO_GO and "train.grpo: its trainer refuses it: lr_end" in said
    with pytest.raises(Misuse, match=r"train\.grpo: its trainer refuses it: lr_end"):
        phases.run(run)
    assert not run.out.exists()


def test_a_disk_that_does_not_hold_it_is_said_first(
    gridworld: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    small = shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda where: small)
    run = config(gridworld, tmp_path / "out")
    verdict, said = dry(capsys, run)
    assert verdict is Verdict.NO_GO and "has 1e-06 GB free: make room" in said
    with pytest.raises(DiskFailure, match="make room"):
        phases.run(run)


def test_the_disk_is_the_one_that_the_run_s_folder_is_on(gridworld: Path, tmp_path: Path) -> None:
    """What is free on it is read, not given: no disk holds the model of the second config."""
    run = config(gridworld, tmp_path / "not" / "there")
    assert run.train is not None
    said = check_disk(run, run.train)
    told = re.search(rf"the disk of {re.escape(str(tmp_path))} has (\S+) GB free", said or "")
    assert told is not None and 0 < float(told[1]) <= shutil.disk_usage(tmp_path).total / GB
    whole = shutil.disk_usage(tmp_path).total
    larger = run.model.model_copy(update={"layers": 1 + whole // (4 * run.model.hidden**2)})
    with pytest.raises(DiskFailure, match="make room"):
        check_disk(run.model_copy(update={"model": larger}), run.train)


def test_lora_targets_are_held_against_the_model_s_layers_without_its_weights(
    tmp_path: Path,
) -> None:
    made = {"pretrained": str(chat_folder(tmp_path / "chat"))}
    (tmp_path / "chat" / "model.safetensors").unlink()
    check_layers(ModelConfig(**made, lora=LoraConfig()))
    with pytest.raises(Misuse, match=r"it has no w1, w2"):
        check_layers(ModelConfig(**made, lora=LoraConfig(targets=("q_proj", "w1", "w2"))))
