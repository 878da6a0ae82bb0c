"""Small environments that say what they compared, as a worker logs it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from gonogo.explore.changes import ComparedFlight, ComparedStep
from gonogo.rollouts.types import Comparison, Schemas
from gonogo.wire import Action, JsonSchema, JsonValue, Observation, TaskOptions

OPS: dict[str, Callable[[JsonValue, JsonValue], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    "in": lambda one, other: one in other,
    "startswith": lambda one, other: one.startswith(other),
}


@dataclass
class CompareLog:
    """What a step compared."""

    entries: list[Comparison] = field(default_factory=list)

    def __call__(self, left: JsonValue, op: str, right: JsonValue, site: str = "") -> bool:
        """Compare, and take it down."""
        held = OPS[op](left, right)
        sides = [sorted(s) if isinstance(s, set) else s for s in (left, right)]
        sides = [list(side) if isinstance(side, dict) else side for side in sides]
        at = (len(self.entries),)
        self.entries.append(Comparison(op, sides[0], sides[1], held, site or op, at=at))
        return held


class Game(Protocol):
    """An episode."""

    shown: Observation

    def step(self, action: Action, log: CompareLog) -> tuple[float, bool]:
        """Take a step: what it is paid, and whether the episode is over."""
        ...


@dataclass
class GameWorld:
    """Where a search flies such games.

    Attributes:
        schema: Of an action.
        game: Makes the episode of a seed.
        totals: The return of each flight.
        sent: What was sent in each.
        steps: Steps, resets counted.
    """

    schema: JsonSchema
    game: Callable[[int], Game]
    totals: list[float] = field(default_factory=list)
    sent: list[list[Action]] = field(default_factory=list)
    steps: int = 0

    @property
    def schemas(self) -> Schemas:
        """Its schemas."""
        return Schemas(self.schema, {}, {})

    def fly(self, task: TaskOptions, actions: Sequence[Action]) -> ComparedFlight:
        """Fly a plan."""
        game = self.game(int(task["seed"]))
        first, steps, over, refused = dict(game.shown), [], False, False
        for action in actions:
            log, reward = CompareLog(), 0.0
            try:
                reward, over = game.step(action, log)
            except (KeyError, TypeError, ValueError):
                refused = True
            steps.append(ComparedStep(reward, dict(game.shown), tuple(log.entries)))
            if over or refused:
                break
        flight = ComparedFlight(first, steps, over, refused)
        self.totals.append(flight.total)
        self.sent.append(list(actions))
        self.steps += len(steps) + 1
        return flight


def fields(**held: JsonSchema) -> JsonSchema:
    """The schema of an action that needs all of these."""
    return {"type": "object", "properties": held, "required": list(held)}


TEXT: JsonSchema = {"type": "string"}
NUMBER: JsonSchema = {"type": "number"}
WHOLE: JsonSchema = {"type": "integer"}
