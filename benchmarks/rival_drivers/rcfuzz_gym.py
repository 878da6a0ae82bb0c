"""A class of the zoo as a Gymnasium environment, for reward-contract-fuzzer's sampled mode."""

from __future__ import annotations

import json
from typing import Any

import gymnasium
from gymnasium import spaces

from .common import Json, Pilot, Subject, text_of
from .rcfuzz_env import alphabet

SEEDS = range(3)


class Flown:
    """The episode in progress: the solver that would fly it, and what it waits to see."""

    pilot: Pilot
    waiting = False
    first = ""


def actions_of(name: str, case: str) -> list[str]:
    """The actions' names: those listed, and those that solver and exploit use over a few seeds."""
    subject = Subject.load(name, case)
    plans = (subject.pair.solve, subject.pair.exploit)
    played = [
        action for plan in plans for seed in SEEDS for action in subject.episode(plan, seed)[0]
    ]
    return alphabet(subject, played)[0]


class ZooEnv(gymnasium.Env[str, int]):
    """Observations are JSON text, so that they can be a table's keys; actions are numbers of the listed ones."""

    def __init__(self, name: str, case: str) -> None:
        self.subject = Subject.load(name, case)
        names = actions_of(name, case)
        self.actions = [self.subject.action.model_validate_json(action) for action in names]
        self.action_space = spaces.Discrete(len(self.actions))
        self.observation_space = spaces.Text(100_000)
        Flown.pilot, Flown.first = Pilot(self.subject.pair.solve), names[0]

    def reset(self, *, seed: int | None = None, options: Json | None = None) -> tuple[str, Json]:
        """Start the episode of a seed."""
        self.environment = self.subject.cls()
        shown = self.environment.reset(**self.subject.pair.options, seed=seed or 0)
        Flown.pilot.begin()
        Flown.waiting = True
        return text_of(shown), {}

    def step(self, action: int) -> tuple[str, float, bool, bool, Json]:
        """Take the numbered action."""
        answer = self.environment.step(self.actions[action])
        Flown.waiting = not answer.done
        return text_of(answer), answer.reward, answer.done, False, {}


def register(name: str, case: str) -> None:
    """Make the class known to Gymnasium as Zoo-v0, without wrappers that would check the spaces."""
    gymnasium.register(
        "Zoo-v0",
        entry_point=lambda: ZooEnv(name, case),
        disable_env_checker=True,
        order_enforce=False,
    )


def act(state: str, actions: list[str]) -> str:
    """The solver's action; off its own path it may not know one, and takes the first."""
    ask: Any = Flown.pilot.act if Flown.waiting else Flown.pilot.again
    Flown.waiting = False
    try:
        chosen = ask(json.loads(state))
    except (StopIteration, LookupError, ValueError, TypeError):
        return Flown.first
    name = json.dumps(chosen, sort_keys=True)
    return name if name in actions else nearest(chosen, actions)


def nearest(chosen: Json, actions: list[str]) -> str:
    """The listed action that differs in the fewest fields, and by the least in its numbers."""

    def distance(name: str) -> tuple[int, float]:
        other = json.loads(name)
        numbers = [field for field, value in chosen.items() if isinstance(value, float)]
        gaps = [abs(chosen[field] - other[field]) for field in numbers if field in other]
        rest = [field for field in chosen if field not in numbers]
        return sum(chosen[field] != other.get(field) for field in rest), sum(gaps)

    return min(actions, key=distance)
