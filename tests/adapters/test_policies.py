"""Policies by name: which one a name means, on a real environment, with a real (untrained) model."""

from __future__ import annotations

from pathlib import Path

import pytest

from gonogo.adapters.models import make, save
from gonogo.adapters.policies import find_policy
from gonogo.adapters.reference import ReferencePolicy
from gonogo.adapters.targets import Target
from gonogo.adapters.vocabulary import train_tokenizer
from gonogo.config import ModelConfig
from gonogo.errors import Misuse
from gonogo.rollout.engine import Flight, fly
from gonogo.rollout.policies import IdlePolicy, RandomPolicy
from gonogo.rollout.protocols import Connection


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run's models: one, untrained."""
    folder = tmp_path_factory.mktemp("models")
    tokenizer = train_tokenizer(['goal_east: -3\n{"move": "north"}'] * 20, 300)
    shape = ModelConfig(hidden=16, intermediate=32, layers=1, heads=2, vocabulary=300, context=1024)
    save(make(shape, tokenizer, seed=1), folder / "untrained")
    return folder


def test_the_environment_s_own_come_first(target: Target, grid: Connection) -> None:
    pilot = find_policy("walker", target, grid.schemas, seed=3)
    pilot.policy.close()
    assert isinstance(pilot.policy, ReferencePolicy)
    assert (pilot.decoding, pilot.seed) == (None, 3)


def test_built_in_policies(target: Target, grid: Connection) -> None:
    idle = find_policy("idle", target, grid.schemas, seed=3)
    assert isinstance(idle.policy, IdlePolicy)
    assert (idle.policy.action, idle.seed) == ({"move": "stay"}, None)
    assert isinstance(find_policy("random", target, grid.schemas, seed=3).policy, RandomPolicy)


@pytest.mark.parametrize(
    ("suffix", "decoding", "seed"), [("", "greedy", None), ("_sampled", "sampled", 3)]
)
def test_a_run_s_models_by_name_and_any_model_by_folder(
    target: Target, grid: Connection, models: Path, suffix: str, decoding: str, seed: int | None
) -> None:
    flown = []
    for name, where in ((f"untrained{suffix}", models), (f"{models}/untrained{suffix}", None)):
        pilot = find_policy(name, target, grid.schemas, seed=3, models=where, max_reply_tokens=8)
        assert (pilot.decoding, pilot.seed, pilot.policy.name) == (decoding, seed, name)
        tasks = [{"seed": i} for i in range(6)]
        flown.append(fly(grid, pilot.policy, tasks, Flight("grid", max_turns=3, slots=4)))
        pilot.policy.close()
    by_name, by_folder = ([[t.reply for t in e.turns] for e in episodes] for episodes in flown)
    assert by_name == by_folder
    assert all(turn.tokens for episode in flown[0] for turn in episode.turns)


def test_a_careless_policy_slips_more_or_less_by_task(target: Target, grid: Connection) -> None:
    tasks = [{"seed": i} for i in range(8)]
    flown = []
    for name, slots in (("walker", 8), ("walker_careless", 8), ("walker_careless", 2)):
        policy = find_policy(name, target, grid.schemas, seed=3).policy
        assert policy.name == name
        episodes = fly(grid, policy, tasks, Flight("grid", max_turns=12, slots=slots))
        policy.close()
        flown.append([[turn.action for turn in episode.turns] for episode in episodes])
    walked, slipped, again = flown
    assert slipped == again
    changed = [one != other for one, other in zip(walked, slipped, strict=True)]
    assert any(changed) and not all(changed)
    with pytest.raises(Misuse, match="no policy 'pilot_careless'"):
        find_policy("pilot_careless", target, grid.schemas, seed=0)


def test_an_unknown_name_lists_the_known_ones(target: Target, grid: Connection) -> None:
    with pytest.raises(Misuse, match=r"no policy 'pilot': give one of walker, .*, idle, random, a"):
        find_policy("pilot", target, grid.schemas, seed=0)
    with pytest.raises(Misuse, match="no policy '_sampled'"):
        find_policy("_sampled", target, grid.schemas, seed=0, models=Path("nowhere"))
