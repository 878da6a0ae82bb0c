"""``nested_done``: only what the observation itself says of its end is hidden; what its records hold is the task."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from gonogo import config
from gonogo.policies.named import find_policy
from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.records.contract import ContractReport, HiddenField
from gonogo.rollouts.engine import Flight, fly
from gonogo.rollouts.episodes import Episode
from gonogo.contract import check_env as station

FOLDER = Path(__file__).with_name("nested_done")
TODO = FOLDER / "todo_env"


@pytest.fixture(params=[False, True], ids=["folder", "server"])
def target(request: pytest.FixtureRequest, serve: Callable[..., str]) -> Iterator[str]:
    """The environment's folder, and a server of it."""
    yield serve(TODO) if request.param else str(TODO)


def flown(target: str, name: str) -> list[Episode]:
    where = resolve(target)
    with closing(connect(where, 4)) as connection:
        policy = find_policy(name, where, connection.schemas, seed=0).policy
        with closing(policy):
            return fly(connection, policy, [{"seed": n} for n in range(4)], Flight("todo", 9))


def test_a_model_reads_the_fields_by_which_the_reference_decides(
    target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(FOLDER)
    episodes = flown(target, "pol:solve")
    assert [episode.success for episode in episodes] == [True] * 4
    for episode in episodes:
        for turn in episode.turns:
            assert turn.text.count('"done": ') == turn.text.count('"metadata": {"color"') == 4
            assert "solved" not in turn.text
        assert '"success": true' in episode.turns[-1].text or len(episode.turns) == 1


def test_the_map_shows_what_a_model_sees_first_and_what_it_does_not(tmp_path: Path) -> None:
    station.run(config.load(None, {"target": str(TODO), "out": str(tmp_path)}))
    model = ContractReport.load(tmp_path).model
    assert str(model.first_observation).startswith('items: [{"id": 0, "title": "item 0", "done": ')
    assert model.instructions.startswith("Reply with one JSON object")
    assert model.left_out == (HiddenField(field="solved", why="hidden"),)
    page = (tmp_path / "map.md").read_text()
    assert "## What a model sees first" in page
    assert "| solved | hidden |" in page
