"""A class of the zoo as reward-contract-fuzzer wants it: get_state and set_state, and a finite list of actions.

The tool's own example has a state without clock or bookkeeping, so that a loop is seen as one. So there are three
views of the same environment, from coarse to exact, and the driver takes the first whose answer a replay confirms:

- ``shown``: states that show the agent the same are the same;
- ``held``: they are the same if the environment holds the same, whatever the step count;
- ``exact``: and the step count is the same.
"""

from __future__ import annotations

import itertools
import json
import math
import pickle
import typing
from typing import Any, ClassVar, Literal

import annotated_types
from pydantic import BaseModel

from .common import Json, Subject, text_of

MOST_ACTIONS = 128
MOST_INTEGERS = 32
LEVELS = 5
FEW: dict[Any, list[Any]] = {type(None): [None], bool: [False, True]}


class Unlisted(Exception):
    """The values of a field cannot be listed."""


def bounds(metadata: list[Any]) -> tuple[float, float]:
    """The least and the greatest value that a field's constraints allow."""
    low, high = -math.inf, math.inf
    for rule in metadata:
        if isinstance(rule, annotated_types.Ge):
            low = float(rule.ge)
        if isinstance(rule, annotated_types.Gt):
            low = float(rule.gt) + 1
        if isinstance(rule, annotated_types.Le):
            high = float(rule.le)
        if isinstance(rule, annotated_types.Lt):
            high = float(rule.lt) - 1
    return low, high


def choices(kind: Any, metadata: list[Any]) -> list[Any]:
    """All values of a type, or evenly spaced ones of a bounded real one.

    Raises:
        Unlisted: It has no end of values.
    """
    parts = typing.get_args(kind)
    if kind in FEW:
        return FEW[kind]
    if kind in (int, float):
        return numbers(kind, *bounds(metadata))
    if typing.get_origin(kind) is Literal:
        return list(parts)
    if typing.get_origin(kind) is list:
        return sequences(parts[0], metadata)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return products(kind, {})
    if not parts:
        raise Unlisted(str(kind))
    return [value for part in parts for value in choices(part, metadata)]


def numbers(kind: type, low: float, high: float) -> list[Any]:
    """Whole numbers from low to high, or a few real ones."""
    if math.isinf(low) or math.isinf(high):
        raise Unlisted("no bounds")
    if kind is float:
        return [low + (high - low) * step / (LEVELS - 1) for step in range(LEVELS)]
    if high - low >= MOST_INTEGERS:
        raise Unlisted("too many numbers")
    return list(range(int(low), int(high) + 1))


def sequences(kind: Any, metadata: list[Any]) -> list[Any]:
    """Lists of the one length that the constraints allow."""
    lengths = {rule.min_length for rule in metadata if isinstance(rule, annotated_types.MinLen)}
    lengths |= {rule.max_length for rule in metadata if isinstance(rule, annotated_types.MaxLen)}
    if len(lengths) != 1:
        raise Unlisted("any length")
    return [list(row) for row in itertools.product(choices(kind, []), repeat=lengths.pop())]


def products(model: type[BaseModel], used: dict[str, list[Any]]) -> list[Json]:
    """All combinations of the fields' values; a field that cannot be listed gets the used values."""
    fields = {name: info for name, info in model.model_fields.items() if name != "metadata"}
    listed = []
    for name, info in fields.items():
        try:
            listed.append(choices(info.annotation, info.metadata))
        except Unlisted:
            if name not in used:
                raise
            listed.append(used[name])
    return [dict(zip(fields, row, strict=True)) for row in itertools.product(*listed)]


def alphabet(subject: Subject, played: list[Json]) -> tuple[list[str], str]:
    """The actions' names, which are the actions as JSON, and how they were found.

    A field without a finite list of values takes those that solver and exploit use in this episode; if the
    combinations are too many, the actions are the ones that the two use.
    """
    used: dict[str, list[Any]] = {}
    for action in played:
        for name, value in action.items():
            values = used.setdefault(name, [])
            if value not in values:
                values.append(value)
    how = "all actions"
    try:
        listed = products(subject.action, {})
    except Unlisted:
        how = "all values of the finite fields, the solver's and the exploit's of the others"
        listed = products(subject.action, used) if used else []
    if not 0 < len(listed) <= MOST_ACTIONS:
        how, listed = "the actions that solver and exploit use", []
    names = [json.dumps(action, sort_keys=True) for action in [*listed, *played]]
    return list(dict.fromkeys(names)), how


def freeze(value: Any) -> Any:
    """A value as nested tuples: equal for equal values, and hashable."""
    if isinstance(value, dict):
        return ("dict", *sorted(((repr(k), freeze(v)) for k, v in value.items()), key=repr))
    if isinstance(value, list | tuple):
        return ("row", *map(freeze, value))
    if isinstance(value, set | frozenset):
        return ("set", *sorted(map(freeze, value), key=repr))
    if isinstance(value, BaseModel):
        return freeze(value.model_dump())
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return value


def held_by(environment: Any) -> Json:
    """Everything that an environment holds, without its name, its count of steps and its generator."""
    return {k: v for k, v in vars(environment).items() if k not in ("_state", "rng", "rubric")}


def turn_of(environment: Any, view: str) -> int:
    """The count of steps, where the view has one."""
    turn: int = environment.state.step_count
    return turn if view == "exact" else 0


def state_of(environment: Any, view: str) -> Any:
    """The state as the view tells states apart."""
    if view == "shown":
        return text_of(environment.show()), environment.success is not None
    return freeze(
        (held_by(environment), turn_of(environment, view), hash(environment.rng.getstate()))
    )


def contract(subject: Subject, seed: int, view: str) -> tuple[list[str], list[str], type[Any], str]:
    """Actions, the solver's script, the environment's class for one seed, and how the actions were found."""
    script, _ = subject.episode(subject.pair.solve, seed)
    flown, _ = subject.episode(subject.pair.exploit, seed)
    actions, how = alphabet(subject, [*script, *flown])
    intended = [json.dumps(action, sort_keys=True) for action in script]
    return actions, intended, seed_class(subject, seed, view, actions), how


def seed_class(subject: Subject, seed: int, view: str, actions: list[str]) -> type[Any]:
    """One seed's episode as the tool's example has it; a state that was seen once can be set again."""
    template, _ = subject.start(seed)
    parsed = {action: subject.action.model_validate_json(action) for action in actions}

    class SeedEnv:
        """Its states, and what is known of them."""

        stored: ClassVar[dict[Any, bytes]] = {}
        generators: ClassVar[dict[Any, Any]] = {}
        known: ClassVar[dict[Any, Any]] = {}

        def __init__(self) -> None:
            self.state: Any = None

        def reset(self, **_: Any) -> Any:
            self.state = (
                initial if (initial := next(iter(self.stored), None)) else self.keep(template)
            )
            return self.state, {}

        def keep(self, environment: Any) -> Any:
            state = state_of(environment, view)
            if state not in self.stored:
                self.stored[state] = pickle.dumps(
                    (held_by(environment), turn_of(environment, view))
                )
                self.generators[state] = environment.rng.getstate()
            return state

        def get_state(self) -> Any:
            return self.state

        def set_state(self, state: Any) -> None:
            self.state = state

        def step(self, action: str) -> Any:
            asked = (self.state, action)
            if asked not in self.known:
                self.known[asked] = self.played(action)
            self.state, reward, done = self.known[asked]
            return self.state, reward, done, False, {}

        def played(self, action: str) -> Any:
            held, turn = pickle.loads(self.stored[self.state])
            vars(template).update(held)
            template.state.step_count = turn
            template.rng.setstate(self.generators[self.state])
            answer = template.step(parsed[action])
            return self.keep(template), answer.reward, answer.done

    return SeedEnv
