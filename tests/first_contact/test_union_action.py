"""``union_action``: a tagged union is told with its fields, the example is accepted, and so is idle."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from gonogo import api, config
from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.errors import CodecError
from gonogo.records.contract import ContractReport
from gonogo.records.record import Verdict
from gonogo.rollouts.engine import try_example
from gonogo.rollouts.episodes import read_episodes
from gonogo.contract import check_env as station

SHIPS = str(Path(__file__).with_name("union_action") / "ships_env")


def test_a_model_is_told_the_forms_and_an_example_that_is_accepted() -> None:
    with closing(connect(resolve(SHIPS), 1)) as connection:
        codec = connection.schemas.codec()
        told = codec.instructions()
        assert '"kind": "fire"; "target_id": string (id of a ship that was seen)' in told
        assert '"x": integer, at least 0, at most 4 (column)' in told
        example = json.loads(told.rpartition("For example: ")[2])
        assert example == {"command": {"kind": "move", "x": 0, "y": 0}}
        assert try_example(connection, codec, {"seed": 1}) is None


def test_idle_and_random_are_accepted(tmp_path: Path) -> None:
    tasks = {"evaluation.episodes": 8, "evaluation.policies": ["idle", "random"]}
    run = config.load(None, {"target": SHIPS, "out": str(tmp_path), **tasks})
    file = tmp_path / "episodes.jsonl"
    assert not api.rollout(run, file=file).lost
    episodes = list(read_episodes(file))
    assert len(episodes) == 16
    assert sum(episode.invalid_count for episode in episodes) == 0


def test_the_map_sends_the_example(tmp_path: Path) -> None:
    station.run(config.load(None, {"target": SHIPS, "out": str(tmp_path)}))
    (item,) = [i for i in ContractReport.load(tmp_path).contract if i.id == "example"]
    assert item.verdict == "pass"
    assert item.said.startswith('{"command": {"kind": "move", "x": 0, "y": 0}} is accepted')


def test_a_wrong_form_is_told_by_its_own_fields() -> None:
    with closing(connect(resolve(SHIPS), 1)) as connection:
        codec = connection.schemas.codec()
    with pytest.raises(CodecError, match=r"command\.x: maximum 4"):
        codec.parse('{"command": {"kind": "move", "x": 9, "y": 0}}')
