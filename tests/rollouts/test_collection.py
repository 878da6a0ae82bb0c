"""Episodes that belong together are a file, a table and a replay."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gonogo import api
from gonogo.env.environment import Env
from gonogo.rollouts.collection import Episodes


@pytest.fixture(scope="module")
def env(gridworld: Path) -> Iterator[Env]:
    with api.load_environment(gridworld, num_envs=4) as opened:
        yield opened


def test_episodes_are_a_file_a_table_and_a_replay(env: Env, tmp_path: Path) -> None:
    flown = api.rollout(env, ["idle", "walker"], tasks=env.tasks("test", 3))
    flown.save(tmp_path / "flown.jsonl")
    assert list(Episodes.load(tmp_path / "flown.jsonl")) == list(flown)
    frame = flown.to_frame()
    assert list(frame["policy"]) == ["idle"] * 3 + ["walker"] * 3
    assert frame.groupby("policy")["success"].sum().to_dict() == {"idle": 0, "walker": 3}
    assert "walker" in flown._repr_html_()
    assert len(flown[1:3]) == 2 and flown.by("walker")[0] == flown[3]
    for recorded in (flown, flown[3], tmp_path / "flown.jsonl"):
        assert api.replay(env, recorded).reproduced
    flown[3].turns[-1].reward = 0.5
    report = api.replay(env, flown[3])
    assert not report.reproduced and "reward 0.5 recorded, 1.0 now" in report.said[1]
