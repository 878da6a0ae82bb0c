"""Policies by name: which one a name means, on a real environment, with a real (untrained) model."""

from __future__ import annotations

from pathlib import Path

import pytest

from gonogo.config import ModelConfig
from gonogo.env.target import Target
from gonogo.errors import Misuse
from gonogo.models.saved import make, save
from gonogo.models.tokenizer import train_tokenizer
from gonogo.policies.external import ReferencePolicy
from gonogo.policies.named import ModelSettings, find_policy, policy_hash
from gonogo.records.provenance import tree_hash
from gonogo.rollouts.builtin_policies import IdlePolicy, RandomPolicy
from gonogo.rollouts.engine import Flight, fly
from gonogo.rollouts.types import Connection


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run's models: one, untrained."""
    folder = tmp_path_factory.mktemp("models")
    tokenizer = train_tokenizer(['goal_east: -3\n{"move": "north"}'] * 20, 300)
    shape = ModelConfig(hidden=16, intermediate=32, layers=1, heads=2, vocabulary=300, context=1024)
    save(make(shape, tokenizer, seed=1), folder / "untrained")
    return folder


@pytest.fixture
def walk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module in the working directory, with a function that waits and then walks east."""
    module = tmp_path / "east.py"
    module.write_text(
        "def walk(observation, memory):\n"
        "    memory['turn'] = memory.get('turn', -1) + 1\n"
        "    return {'move': ('stay', 'east')[memory['turn'] % 2]}\n"
    )
    monkeypatch.chdir(tmp_path)
    return module


def test_the_environment_s_own_come_first(target: Target, grid: Connection) -> None:
    named = find_policy("walker", target, grid.schemas, seed=3)
    named.policy.close()
    assert isinstance(named.policy, ReferencePolicy)
    assert (named.decoding, named.seed) == (None, 3)


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
        named = find_policy(name, target, grid.schemas, seed=3, settings=ModelSettings(where, 8))
        assert (named.decoding, named.seed, named.policy.name) == (decoding, seed, name)
        tasks = [{"seed": i} for i in range(6)]
        flown.append(fly(grid, named.policy, tasks, Flight("grid", max_turns=3, slots=4)))
        named.policy.close()
    by_name, by_folder = ([[t.reply for t in e.turns] for e in episodes] for episodes in flown)
    assert by_name == by_folder
    assert all(turn.tokens for episode in flown[0] for turn in episode.turns)


def test_a_function_flies_and_is_known_by_its_module(
    target: Target, grid: Connection, walk: Path
) -> None:
    named = find_policy("east:walk", target, grid.schemas, seed=3)
    (episode,) = fly(grid, named.policy, [{"seed": 1}], Flight("grid", max_turns=2, slots=1))
    named.policy.close()
    assert [turn.action for turn in episode.turns] == [{"move": "stay"}, {"move": "east"}]
    assert (named.decoding, named.seed) == (None, None)

    before = policy_hash("east:walk", target, None)
    walk.write_text(walk.read_text().replace("east", "north"))
    assert policy_hash("east:walk", target, None) not in (None, before)
    with pytest.raises(Misuse, match=r"'west:walk' cannot be found: .* did you mean 'east'"):
        policy_hash("west:walk", target, None)
    missing = find_policy("east:run", target, grid.schemas, seed=3).policy
    with pytest.raises(Misuse, match="east:run cannot be loaded"):
        fly(grid, missing, [{"seed": 1}], Flight("grid", max_turns=2, slots=1))
    missing.close()


def test_only_what_is_not_the_environment_s_nor_built_in_is_made_of_something(
    target: Target, models: Path
) -> None:
    assert policy_hash("walker", target, models) is None
    assert policy_hash("idle", target, models) is None
    assert policy_hash("untrained", target, models) == tree_hash(models / "untrained")


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
        find_policy(
            "_sampled", target, grid.schemas, seed=0, settings=ModelSettings(Path("nowhere"))
        )
