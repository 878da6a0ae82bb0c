"""Is the solution shown at reset? Tried out: what is shown is sent back, and the environment says if that solves it.

A value is sent whole or spelled, item by item or letter by letter, in each field of the action that takes it.
What solves the task must do so on nearly every seed, and the same field's value of another seed must not: else
it is a constant that solves the task, and shows nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from jsonschema import Draft202012Validator

from gonogo.exploits.witness import fly_plans
from gonogo.records.submission import ShownLeak
from gonogo.rollouts.engine import Flight
from gonogo.rollouts.space import Space, action_fields
from gonogo.rollouts.types import Connection, Failure
from gonogo.wire import Action, TaskOptions

DEEPEST = 3
MOST_VALUES = 60
NEARLY_ALL = 0.9
BY_CHANCE = 0.5
ENVELOPE = frozenset({"episode_id", "step_count", "reward", "done", "metadata"})
PLACES = ("observation", "state", "metadata")
"""What shows something at a reset."""
WHOLE, SPELLED = "sent back", "spelled"


@dataclass(frozen=True, slots=True)
class Way:
    """One way to send back what is shown.

    Attributes:
        where: ``observation``, ``state`` or ``metadata``.
        path: Of the value.
        way: Whole or spelled.
        field: The action's field that takes it.
    """

    where: str
    path: str
    way: str
    field: str


Ways = dict[Way, list[Action]]


def find_shown(
    connection: Connection, tasks: Sequence[TaskOptions], flight: Flight
) -> tuple[dict[str, int], tuple[ShownLeak, ...]]:
    """Try everything that the resets of some tasks show.

    Args:
        connection: Where to.
        tasks: Reset options of the same task with different seeds, at least two.
        flight: How to fly.

    Returns:
        How many ways were tried by place, and the ways that solve the task, with how often.
    """
    shown = [ways_of(connection, task) for task in tasks]
    plans = shown[0]
    tried = {place: sum(w.where == place for w in plans) for place in PLACES}
    first = fly_plans(connection, [(tasks[0], plan) for plan in plans.values()], flight, "shown")
    hits = [way for way, e in zip(plans, first, strict=True) if e.success is True]
    leaks = []
    for way in hits:
        solved = count(connection, flight, way, list(zip(tasks, shown, strict=True)))
        moved = zip(tasks, [*shown[1:], shown[0]], strict=True)
        control = count(connection, flight, way, list(moved))
        if solved >= NEARLY_ALL * len(tasks) and control <= BY_CHANCE * len(tasks):
            seeds = len(tasks)
            leaks.append(ShownLeak(**asdict(way), solved=solved, control=control, seeds=seeds))
    return tried, tuple(leaks)


def count(
    connection: Connection, flight: Flight, way: Way, pairs: Sequence[tuple[TaskOptions, Ways]]
) -> int:
    """How many tasks one way solves, each with the plan of the reset beside it."""
    plans = [(task, shown[way]) for task, shown in pairs if way in shown]
    episodes = fly_plans(connection, plans, flight, "shown") if plans else []
    return sum(episode.success is True for episode in episodes)


def ways_of(connection: Connection, task: TaskOptions) -> Ways:
    """Every way to send back what one reset shows; empty where the reset fails."""
    answer = connection.reset({0: task})[0]
    if isinstance(answer, Failure):
        return {}
    state = connection.state([0])[0]
    shown = {} if isinstance(state, Failure) else state
    seen = zip(PLACES, (answer.observation, shown, answer.metadata), strict=True)
    schema = connection.schemas.action
    idle = Space(schema).idle()
    takes = Draft202012Validator(schema).is_valid
    ways: Ways = {}
    for where, content in seen:
        for path, value in list(values_in(content))[:MOST_VALUES]:
            for field in action_fields(schema):
                if takes(action := {**idle, field: value}):
                    ways[Way(where, path, WHOLE, field)] = [action]
                spelled = [{**idle, field: part} for part in parts(value)]
                if len(spelled) > 1 and all(map(takes, spelled)):
                    ways[Way(where, path, SPELLED, field)] = spelled
    return ways


def values_in(content: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Every value within a JSON object that could be an answer, with its path."""
    if isinstance(content, dict):
        for name, inner in content.items():
            if depth < DEEPEST and name not in ENVELOPE:
                yield from values_in(inner, f"{path}.{name}" if path else name, depth + 1)
    elif content is not None and not isinstance(content, bool) and content not in ("", []):
        yield path, content


def parts(value: Any) -> list[Any]:
    """The items of a list, or the letters of a text."""
    return list(value) if isinstance(value, list | str) else []
