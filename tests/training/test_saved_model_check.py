"""The fresh process that proves a model: it has the folder alone, compares its logits and flies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

from tests.training.small_trainings import TEXTS, scratch_config

from gonogo.config import ModelConfig
from gonogo.env.target import Target
from gonogo.errors import MissingRecord
from gonogo.models import saved as models
from gonogo.models.tokenizer import train_tokenizer
from gonogo.rollouts.episodes import read_episodes
from gonogo.training.saved_model_check import main
from gonogo.training.saving import EPISODES, LOGITS, keep


def job(folder: Path, target: Target, out: Path) -> Path:
    run = scratch_config(out, target)
    tasks = [{"options": {"split": "train", "index": n}} for n in range(3)]
    given = {"folder": str(folder), "config": run.model_dump(mode="json"), "tasks": tasks}
    file = out / "job.json"
    file.write_text(json.dumps(given))
    return file


def test_it_compares_and_flies_with_nothing_but_the_folder(target: Target, tmp_path: Path) -> None:
    shape = ModelConfig(hidden=32, intermediate=48, layers=2, heads=2, context=512)
    speaker = models.make(shape, train_tokenizer(TEXTS, 300), 7)
    keep(speaker, tmp_path / "trained", list(range(4, 40)))
    main(str(job(tmp_path / "trained", target, tmp_path)), str(tmp_path))
    likeness = json.loads((tmp_path / LOGITS).read_text())
    assert (likeness["difference"], likeness["agreement"]) == (0.0, 1.0)
    assert likeness["precision"] == "32-bit"
    episodes = list(read_episodes(tmp_path / EPISODES))
    assert [episode.task["index"] for episode in episodes] == [0, 1, 2]
    assert {(episode.policy, episode.decoding) for episode in episodes} == {("reloaded", "greedy")}
    assert all(episode.error is None and episode.turns for episode in episodes)


def test_without_a_model_it_leaves_nothing(target: Target, tmp_path: Path) -> None:
    with pytest.raises(MissingRecord, match="no model"):
        main(str(job(tmp_path / "nowhere", target, tmp_path)), str(tmp_path))
    assert [file.name for file in tmp_path.iterdir()] == ["job.json"]
