"""What an episode shows before anything was done: the reset's observation and metadata, and the state.

An opening is read as values by path, as in ``observation.board[2]`` or ``state.answer``. Paths whose value
differs when the same task is reset again (an episode's id, a clock) say nothing about the task and are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gonogo.wire import JsonValue, Metadata, Observation, State, TaskOptions

__all__ = ["Opening", "Values", "at", "inside", "key_of", "unsteady", "values_of"]

Values = Mapping[str, JsonValue]
"""Values of an environment by their paths."""
DEPTH = 4
ITEMS = 12


@dataclass(frozen=True, slots=True)
class Opening:
    """One reset.

    Attributes:
        task: Its options.
        observation: What an agent sees.
        metadata: What the environment says beside it.
        state: What the state shows.
    """

    task: TaskOptions
    observation: Observation
    metadata: Metadata
    state: State


def values_of(opening: Opening) -> Values:
    """Everything that an opening shows, by path: lists and objects whole, and what they hold."""
    parts = {
        "observation": opening.observation,
        "metadata": opening.metadata,
        "state": opening.state,
    }
    return {path: value for name, part in parts.items() for path, value in inner(part, name, DEPTH)}


def inner(value: JsonValue, path: str, depth: int) -> Iterator[tuple[str, JsonValue]]:
    """What a value holds, by path."""
    entries: list[tuple[str, JsonValue]] = []
    if isinstance(value, dict):
        entries = [(f"{path}.{name}", held) for name, held in value.items()]
    elif isinstance(value, list):
        entries = [(f"{path}[{place}]", held) for place, held in enumerate(value[:ITEMS])]
    for name, held in entries:
        yield name, held
        if depth > 1:
            yield from inner(held, name, depth - 1)


def inside(observation: Observation) -> Values:
    """Everything that an observation shows, by paths that begin with ``observation``."""
    return dict(inner(observation, "observation", DEPTH))


def at(observation: Observation, path: str) -> JsonValue:
    """The value that an observation has at a path that begins with ``observation``; None where it has none."""
    return inside(observation).get(path)


def unsteady(first: Sequence[Opening | None], again: Sequence[Opening | None]) -> set[str]:
    """Paths that differ between two resets of the same tasks."""
    paths: set[str] = set()
    for one, other in zip(first, again, strict=True):
        if one is not None and other is not None:
            here, there = values_of(one), values_of(other)
            paths |= {
                p for p in here.keys() | there.keys() if key_of(here.get(p)) != key_of(there.get(p))
            }
    return paths


def key_of(value: JsonValue) -> str:
    """A value as a key: equal for equal JSON, and only then."""
    return json.dumps(value, sort_keys=True)
