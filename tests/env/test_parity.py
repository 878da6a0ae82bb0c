"""The same episodes over both transports: identical observations, rewards, ends, metadata and states."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.rollouts.builtin_policies import RandomPolicy
from gonogo.rollouts.engine import Flight, fly
from gonogo.rollouts.types import Connection, Transition
from gonogo.wire import JsonObject as Json

Serve = Callable[..., str]


def answers(
    connection: Connection, resets: dict[int, Json], actions: list[dict[int, Json]]
) -> list[Any]:
    """Everything that a connection says to the same questions."""
    said: list[Any] = [connection.schemas, connection.reset(resets), connection.state(resets)]
    for batch in actions:
        said += [connection.step(batch), connection.state(batch)]
    connection.close()
    return said


def test_the_template_environment(echo: Path, serve: Serve) -> None:
    resets: dict[int, Json] = {0: {"episode_id": "a", "seed": 3, "unknown": [1]}}
    actions: list[dict[int, Json]] = [
        {0: {"message": text}} for text in ("", "hello", "naïve ☀ \n\t", "x" * 100_000)
    ]
    actions += [{0: {"massage": "x"}}, {0: {"message": None}}, {0: {"message": "after refusals"}}]
    folder = answers(connect(resolve(str(echo)), 1), resets, actions)
    served = answers(connect(resolve(serve(echo)), 1), resets, actions)
    assert folder == served
    assert folder[-2][0].observation["echoed_message"] == "after refusals"
    assert folder[-1][0]["step_count"] == 5


def test_the_gridworld_over_whole_episodes(gridworld: Path, serve: Serve) -> None:
    flown = []
    tasks = [{"split": "test", "index": i, "episode_id": str(i)} for i in range(24)]
    for target in (str(gridworld), serve(gridworld)):
        connection = connect(resolve(target), 8)
        policy = RandomPolicy(connection.schemas.action, seed=5)
        flown.append(fly(connection, policy, tasks, Flight("gridworld", max_turns=20)))
        connection.close()
    assert [e.to_json() for e in flown[0]] == [e.to_json() for e in flown[1]]
    assert {e.timeout for e in flown[0]} == {True, False}


def test_odd_rewards_and_values(rogue: Path, serve: Serve, tmp_path: Path) -> None:
    (tmp_path / "rogue").symlink_to(rogue)
    url = serve(rogue, path=tmp_path)
    said = []
    for target in (str(rogue), url):
        connection = connect(resolve(target), 1)
        for trick in (
            "nan",
            "inf",
            "bool",
            "unserializable",
            "surrogate",
            "raise",
            "done at reset",
        ):
            said.append(connection.reset({0: {"trick": trick}}))
            said += [connection.step({0: {"word": word}}) for word in ("a", "b")]
        connection.close()
    half = len(said) // 2
    assert said[:half] == said[half:]
    assert all(isinstance(answer[0], Transition) for answer in said)


@pytest.mark.parametrize("over_a_url", [False, True])
def test_a_renewed_session_is_fresh_and_not_reset(
    gridworld: Path, serve: Serve, over_a_url: bool
) -> None:
    connection = connect(resolve(serve(gridworld) if over_a_url else str(gridworld)), 2)
    try:
        connection.reset({0: {"episode_id": "old"}, 1: {"episode_id": "kept"}})
        assert connection.renew([0]) == {0: None}
        states = connection.state([0, 1])
        assert states[0]["episode_id"] != "old"  # type: ignore[index]
        assert states[1]["episode_id"] == "kept"  # type: ignore[index]
        refused = connection.step({0: {"move": "stay"}})[0]
        assert isinstance(refused, Transition)
        assert refused.refusal == "the episode has ended: call reset"
        assert isinstance(connection.reset({0: {}})[0], Transition)
    finally:
        connection.close()
