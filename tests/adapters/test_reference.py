"""Reference policies as child processes: flying, and every way of failing."""

from __future__ import annotations

from pathlib import Path

import pytest

from gonogo.adapters.reference import ReferencePolicy
from gonogo.adapters.targets import FolderTarget, connect, resolve
from gonogo.errors import PolicyFailure
from gonogo.rollout.engine import Flight, fly
from gonogo.rollout.protocols import View


def folder(path: Path) -> FolderTarget:
    target = resolve(str(path))
    assert isinstance(target, FolderTarget)
    return target


def view(east: int = 1) -> View:
    return View("", {"goal_east": east, "goal_north": 0}, {"seed": 1}, 0)


def test_many_interleaved_episodes(gridworld: Path) -> None:
    target = folder(gridworld)
    connection = connect(target, 16)
    policy = ReferencePolicy(target, "walker")
    tasks = [{"seed": i} for i in range(50)]
    episodes = fly(connection, policy, tasks, Flight("gridworld"))
    policy.close()
    policy.close()
    connection.close()
    assert all(e.success for e in episodes)
    assert {e.policy for e in episodes} == {"walker"}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("dead", "policy dead exited with code 1; it last printed:\nno fuel"),
        ("mute", "not JSON"),
        ("liar", "answered for 'elsewhere', not asked"),
        ("sleeper", "gave no answer within 2 s"),
    ],
)
def test_a_broken_policy_is_named_with_its_last_words(
    gridworld: Path, name: str, said: str
) -> None:
    policy = ReferencePolicy(folder(gridworld), name, timeout_s=2)
    policy.begin([0])
    with pytest.raises(PolicyFailure, match=said):
        policy.act({0: view()})
    policy.close()


def test_a_large_batch_does_not_fill_the_pipes(gridworld: Path) -> None:
    policy = ReferencePolicy(folder(gridworld), "walker")
    policy.begin(range(3000))
    wide = {"goal_east": 1, "goal_north": 0, "ballast": "x" * 2000}
    replies = policy.act({slot: View("", wide, {}, 0) for slot in range(3000)})
    policy.close()
    assert {str(reply.action) for reply in replies.values()} == {"{'move': 'east'}"}


def test_an_environment_without_reference_policies(rogue: Path) -> None:
    with pytest.raises(PolicyFailure, match="rogue declares no reference policies"):
        ReferencePolicy(folder(rogue), "walker")
