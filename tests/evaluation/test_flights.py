"""What an episode's file is named by: the reward that paid is part of it."""

from __future__ import annotations

from pathlib import Path

from gonogo import config
from gonogo.evaluation.flights import fingerprint


def test_another_reward_is_another_file_of_episodes(tmp_path: Path) -> None:
    file = tmp_path / "reward.py"
    file.write_text("a = 1\n")
    given = {"target": "a.b:C", "out": str(tmp_path)}
    runs = [config.load(None, given), config.load(None, {**given, "reward": str(file)})]
    prints = [fingerprint(run, "idle", None, None) for run in runs]
    file.write_text("a = 2\n")
    prints.append(fingerprint(runs[1], "idle", None, None))
    assert len(set(prints)) == 3
