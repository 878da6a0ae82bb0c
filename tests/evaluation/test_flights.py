"""What an episode's file is named by: the reward that paid is part of it."""

from __future__ import annotations

from pathlib import Path

from gonogo import config
from gonogo.env.environment import Env
from gonogo.evaluation.flights import open_log
from gonogo.runners.open import flown_with


def file_of(run: config.RunConfig) -> Path:
    return open_log(run, "idle", flown_with(run, Env.of(run), "idle")).path


def test_another_reward_is_another_file_of_episodes(tmp_path: Path) -> None:
    file = tmp_path / "reward.py"
    file.write_text("a = 1\n")
    given = {"target": "a.b:C", "out": str(tmp_path)}
    runs = [config.load(None, given), config.load(None, {**given, "reward": str(file)})]
    files = [file_of(run) for run in runs]
    file.write_text("a = 2\n")
    files.append(file_of(runs[1]))
    assert len(set(files)) == 3
    assert file_of(runs[0]) == files[0]
