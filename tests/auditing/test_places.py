"""The line that pays a witness is found by flying it again, whatever kind of environment it is."""

from __future__ import annotations

import ast
from contextlib import closing
from pathlib import Path

import pytest
from tests.records_made import episode_witness, finding

from gonogo import config
from gonogo.auditing.places import Site, located, passes_on
from gonogo.env.environment import Env
from gonogo.records.findings import ContractWitness, EpisodeWitness, Finding
from gonogo.rollouts.types import Transition
from gonogo.wire import Action

PLAIN = """
class Shop:
    def __init__(self):
        self.sold = 0

    def reset(self, seed=None):
        self.sold = 0
        return {"sold": 0}

    def step(self, action: dict):
        self.sold += 1
        total_reward = self.worth(action.get("price", 0))
        total_reward = round(min(total_reward, 1.0), 2)
        return {"observation": {"sold": self.sold}, "reward": total_reward, "done": self.sold > 2}

    def worth(self, price):
        reward = 0.0
        if price > 5:
            reward += 0.75 + 0.01 * price
        reward -= 0.01
        return reward
"""
PLAIN_LINE = "reward += 0.75 + 0.01 * price"
APP = """
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()


class Bid(BaseModel):
    price: int = 0


@app.post("/reset")
def reset():
    return {"observation": {"lot": 1}, "reward": 0.0, "done": False}


@app.post("/step")
def step(bid: Bid):
    return {"observation": {"lot": 1}, "reward": grade(bid.price), "done": True}


@app.get("/state")
def state():
    return {"lot": 1}


def grade(price):
    if price > 5:
        return 0.6
    return 0.0
"""
GAME = """
import gymnasium
from gymnasium import spaces


class Game(gymnasium.Env):
    action_space = spaces.Discrete(3)
    observation_space = spaces.Discrete(9)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return 0, {}

    def step(self, action):
        if action == 2:
            return 1, 0.5, True, False, {}
        return 0, 0.0, True, False, {}
"""


def shown(actions: list[Action], rewards: list[float]) -> Finding:
    seen = episode_witness().model_dump() | {
        "reset": {"seed": 1},
        "actions": actions,
        "rewards": rewards,
        "plan": actions[:1],
    }
    return finding("constant_answer_pays", witness=EpisodeWitness.model_validate(seen))


def opened(target: str) -> Env:
    return Env.of(config.load(None, {"target": target, "out": "runs"}))


@pytest.mark.parametrize(
    ("source", "name", "action", "pays", "line"),
    [
        (PLAIN, "Shop", {"price": 9}, 0.83, PLAIN_LINE),
        (APP, "app", {"price": 9}, 0.6, "return 0.6"),
        (GAME, "Game", {"action": 2}, 0.5, "return 1, 0.5, True, False, {}"),
    ],
)
def test_the_line_that_pays_is_told_of_plain_classes_apps_and_games(
    source: str,
    name: str,
    action: Action,
    pays: float,
    line: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "offer.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    env = opened(str(tmp_path) if name == "app" else f"offer:{name}")
    with closing(env.connect()) as connection:
        connection.reset({0: {"seed": 1}})
        answer = connection.step({0: action})[0]
    assert isinstance(answer, Transition) and answer.reward == pytest.approx(pays)
    (found,) = located([shown([action], [pays])], env)
    assert found.place is not None
    number = source.splitlines().index(next(t for t in source.splitlines() if line in t)) + 1
    assert (found.place.file, found.place.line) == ("offer.py", number)
    assert found.place.code == line


def test_of_two_witnesses_each_has_its_own_line_and_the_contract_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "offer.py").write_text(PLAIN.replace("price > 5", "price > 50"))
    monkeypatch.chdir(tmp_path)
    paid, unpaid = shown([{"price": 99}], [1.0]), shown([{"price": 9}], [-0.01])
    unpaid = unpaid.model_copy(update={"id": "paid_for_idling"})
    first, second = located([paid, unpaid], opened("offer:Shop"))
    assert first.place is not None and first.place.code == PLAIN_LINE
    assert second.place is not None and second.place.code == "reward -= 0.01"
    broken = finding("nan_reward", witness=ContractWitness(reset={"seed": 1}))
    (kept,) = located([broken], opened("offer:Shop"))
    assert kept.place is None


def test_a_folder_tells_its_line_too() -> None:
    folder = Path(__file__).parents[1] / "first_contact" / "rows"
    action: Action = {"kind": "drop", "rows": [0, 1, 2, 3, 4]}
    (found,) = located([shown([action], [0.5])], opened(str(folder)))
    assert found.place is not None and found.place.file is not None
    assert (folder / found.place.file).is_file()


def test_what_gymnasium_has_registered_tells_its_line_too() -> None:
    (found,) = located([shown([{"action": 1}], [1.0])], opened("gym:CartPole-v1"))
    assert found.place is not None and found.place.file is not None
    assert found.place.file.endswith("cartpole.py") and "1.0" in found.place.code


@pytest.mark.parametrize(
    ("value", "is_passed"),
    [
        ("reward", True),
        ("round(min(self.reward, 1.0), 2)", True),
        ("step_reward + bonus_reward", True),
        ("reward + 0.5", False),
        ("0.5 * progress", False),
        ("self.grade(answer)", False),
    ],
)
def test_what_is_merely_passed_on_is_not_where_it_is_computed(value: str, is_passed: bool) -> None:
    expression = ast.parse(value, mode="eval").body
    assert passes_on(expression) is is_passed
    assert Site("env.py", (1, 1), expression, adds=True).rank(0.5) == (0 if is_passed else 2)


def test_the_amount_itself_explains_best_and_a_cost_least() -> None:
    def ranked(value: str, *, adds: bool = True) -> int:
        return Site("env.py", (1, 1), ast.parse(value, mode="eval").body, adds).rank(0.5)

    assert ranked("0.5") > ranked("worth(x)") > ranked("0.01", adds=False) > ranked("reward")
    assert ranked("0.0") == ranked("0.01", adds=False)
