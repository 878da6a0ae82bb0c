"""Which tasks are trained on, which choose the checkpoint and which are held out, from the map's splits and levels.

A split is known by its name. Where there is one for training alone, its last tasks are held out; where there is none,
tasks are told apart by their seeds, of which those of the three uses lie far from each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gonogo.rollout.protocols import Json

__all__ = ["Level", "Tasks", "levels_of", "shown", "tasks_of"]

TRAIN = ("train", "training")
VALIDATION = ("validation", "valid", "val", "dev", "eval")
TEST = ("test", "testing", "held_out", "heldout", *VALIDATION)
LEVELS = ("level", "difficulty")
APART = 10_000
"""Seeds between one use and the next where nothing else tells them apart."""
HELD_OUT = 0.2
"""Share of a split's tasks that are held out where it is the only one."""


@dataclass(frozen=True, slots=True)
class Tasks:
    """Tasks of one use.

    Attributes:
        split: Their split; None where they are told apart by seeds.
        start: The first.
        count: How many there are; None for no end.
        why: How they were chosen.
    """

    split: str | None
    start: int
    count: int | None
    why: str


@dataclass(frozen=True, slots=True)
class Level:
    """A level of the tasks.

    Attributes:
        option: The reset option that names it.
        name: Its value.
    """

    option: str
    name: str


def tasks_of(splits: Sequence[Json] | None) -> tuple[Tasks, Tasks, Tasks]:
    """Tasks to train on, to choose the checkpoint by, and to evaluate on; no two of them share one.

    Args:
        splits: ``name`` and ``num_tasks`` of each, as the map has them; None where there is no task API.
    """
    sizes = {split["name"]: split["num_tasks"] for split in splits or ()}
    named = {name.lower(): name for name in sizes}
    train = first(named, TRAIN)
    if train is None:
        why = "no split for training is offered, so that tasks are told apart by their seeds"
        return (
            Tasks(None, 0, None, why),
            Tasks(None, APART, None, why),
            Tasks(None, 2 * APART, None, why),
        )
    validation = first(named, VALIDATION)
    test = first({k: v for k, v in named.items() if v != validation}, TEST)
    whole = sizes[train]
    # Without a number of tasks nobody knows where the last ones lie, and far away is far enough.
    tail = APART if whole is None else max(1, int(whole * (1 - HELD_OUT)))
    rest = None if whole is None else whole - tail
    half = APART if rest is None else rest // 2
    used = whole if validation is not None and test is not None else tail
    last = f"held out of the split {train}, which training does not fly to its end"
    ends = [
        (validation, Tasks(train, tail, half if rest is not None else None, last)),
        (test, Tasks(train, tail + half, None if rest is None else rest - half, last)),
    ]
    held = [
        spare
        if name is None
        else Tasks(name, 0, sizes[name], "the split that the environment offers")
        for name, spare in ends
    ]
    chosen = Tasks(train, 0, used, "the split that the environment offers")
    return chosen, held[0], held[1]


def first(named: dict[str, str], wanted: Sequence[str]) -> str | None:
    """The first of the wanted names that there is, as the environment writes it."""
    return next((named[name] for name in wanted if name in named), None)


def shown(tasks: Json, split: str | None) -> list[Any]:
    """The tasks that an environment shows: a split's, or those that the map found by the reset's choices.

    Args:
        tasks: The map's ``tasks``.
        split: The split that is meant; None for none.
    """
    if split is None:
        return [task["options"] for task in [*tasks["flown"], *tasks["left_out"]]]
    previews: list[list[Any]] = [s["preview"] for s in tasks["splits"] if s["name"] == split]
    return previews[0]


def levels_of(shown: Sequence[Any], parameters: Sequence[str]) -> list[Level]:
    """Levels that tasks are shown with and that a reset can ask for, in their order; none for most environments.

    Args:
        shown: Tasks as the environment shows them.
        parameters: Names of the reset's parameters.
    """
    for option in LEVELS:
        names = [task[option] for task in shown if isinstance(task, dict) and option in task]
        if option in parameters and names and all(isinstance(name, str) for name in names):
            return [Level(option, name) for name in dict.fromkeys(names)]
    return []
