"""Which tasks are trained on, which choose the checkpoint and which are held out, from the map's splits and levels.

A split is known by its name. Where there is one for training alone, its last tasks are held out; where there is none,
tasks are told apart by their seeds, of which those of the three uses lie far from each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gonogo.records.contract import MappedTasks
from gonogo.records.inspection import TaskSplit
from gonogo.wire import JsonValue

TRAIN = ("train", "training")
VALIDATION = ("validation", "valid", "val", "dev", "eval")
TEST = ("test", "testing", "held_out", "heldout", *VALIDATION)
LEVELS = ("level", "difficulty")
DECLARED = ("task_id", "task", "task_name", "task_type", "scenario")
"""Reset options by which an environment lets a task be chosen that it declares."""
MOST_LEVELS = 12
"""Stages of a curriculum at most."""
APART = 10_000
"""Seeds between one use and the next where nothing else tells them apart."""
LEAST = 3
"""Tasks of a split of which some can be held out."""
HELD_OUT = 0.2
"""Share of a split's tasks that are held out where it is the only one."""


@dataclass(frozen=True, slots=True)
class TaskRange:
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
    name: str | int | float


def tasks_of(splits: Sequence[TaskSplit] | None) -> tuple[TaskRange, TaskRange, TaskRange]:
    """Tasks to train on, to choose the checkpoint by, and to evaluate on; no two of them share one.

    Args:
        splits: As the map has them; None where there is no task API.
    """
    sizes = {split.name: split.num_tasks for split in splits or ()}
    named = {name.lower(): name for name in sizes}
    train, validation = first(named, TRAIN), first(named, VALIDATION)
    test = first({k: v for k, v in named.items() if v != validation}, TEST)
    whole = None if train is None else sizes[train]
    given = validation is not None and test is not None
    if train is None or (not given and whole is not None and whole < LEAST):
        why = "no split for training is offered that has tasks to spare, so that seeds tell them apart"
        return (
            TaskRange(None, 0, None, why),
            TaskRange(None, APART, None, why),
            TaskRange(None, 2 * APART, None, why),
        )
    offered, last = "the split that the environment offers", f"the last tasks of the split {train}"
    if whole is None:  # nobody knows where its last tasks lie, and far away is far enough
        tail, half, rest = APART, APART, None
    else:
        spare = max(2, int(whole * HELD_OUT))
        tail, half, rest = whole - spare, spare // 2, spare - spare // 2
    spares = (
        TaskRange(train, tail, None if whole is None else half, last),
        TaskRange(train, tail + half, rest, last),
    )
    held = [
        spare if name is None else TaskRange(name, 0, sizes[name], offered)
        for name, spare in zip((validation, test), spares, strict=True)
    ]
    return TaskRange(train, 0, whole if given else tail, offered), held[0], held[1]


def first(named: dict[str, str], wanted: Sequence[str]) -> str | None:
    """The first of the wanted names that there is, as the environment writes it."""
    return next((named[name] for name in wanted if name in named), None)


def shown(tasks: MappedTasks, split: str | None) -> Sequence[JsonValue]:
    """The tasks that an environment shows: a split's, or those that the map found by the reset's choices.

    Args:
        tasks: The map's ``tasks``.
        split: The split that is meant; None for none.
    """
    if split is None:
        return [task.options for task in (*tasks.flown, *tasks.left_out)]
    return next(each.preview for each in tasks.splits or () if each.name == split)


def levels_of(
    shown: Sequence[JsonValue], parameters: Sequence[str], *, declared: bool = False
) -> list[Level]:
    """Levels that tasks are shown with and that a reset can ask for, in their order; none for most environments.

    Args:
        shown: Tasks as the environment shows them.
        parameters: Names of the reset's parameters.
        declared: Whether they are the reset options of tasks that the environment declares one by one, each of which is
            then a level.
    """
    for option in (*LEVELS, *(DECLARED if declared else ())):
        names = [task[option] for task in shown if isinstance(task, dict) and option in task]
        kinds = (str, int, float) if option in DECLARED else (str,)
        named = all(type(n) in kinds for n in names)
        if (option in parameters or declared) and names and named:
            return [Level(option, name) for name in dict.fromkeys(names)][:MOST_LEVELS]
    return []
