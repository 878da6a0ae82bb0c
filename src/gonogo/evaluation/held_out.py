"""Do held-out tasks differ from those of training? Measured: tasks are reset, acted in, and held against each other.

Two tasks are alike if all of this is the same: the first observation, the state where the environment gives one, and
what the same few actions come to. What differs between two flights of one and the same task tells nothing apart, such
as a clock or a random id; nor does the number that a task was asked for by, where it is merely shown again. Texts are
compared word by word, so that a clock in a text hides no more than itself.

An environment in which nothing varies, or whose reset drops the seed, has one task: whatever is "held out" there is a
copy of what was trained on, and a score on it measures memorisation.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, zip_longest
from typing import Any

import numpy as np

from gonogo.config import RunConfig, TrainConfig
from gonogo.contract.determinism import comparable
from gonogo.env.environment import Env
from gonogo.evaluation.verdict import criterion
from gonogo.records.evaluation import Criterion, HeldOutComparison
from gonogo.records.record import Verdict
from gonogo.records.tables import task_text
from gonogo.rollouts.space import Space
from gonogo.rollouts.types import Connection, Failure, Transition, numbered
from gonogo.wire import Action, State, TaskOptions

ACTIONS = 6
"""Actions that are sent in each task: enough to hear something of what a first observation hides."""
TRAINED, HELD = 32, 16
"""Tasks of training and held-out ones that are looked at, at most."""
MOST_COPIES = 0.1
"""Share of held-out tasks alike to one of training's above which a score says more of those than of new ones."""
WORDS = re.compile(r"\w+|\W")
MOST_NAMED = 8
OWN = frozenset({"episode_id", "step_count"})
"""Of a state: which episode it is and how far, not which task."""
Shown = list[tuple[str, Any]]
"""What a task showed, each value by its place: the answer to its reset and to each action."""


def judge_apart(found: HeldOutComparison, what: str = "held-out") -> tuple[Verdict, str]:
    """Whether held-out tasks are new ones, and the sentence.

    Args:
        found: What came of it.
        what: What the tasks are called that were held against training's.
    """
    looked_at, copies = found.looked_at, found.copies
    if found.trained is None:
        return Verdict.GO, "the training flies no task in this environment"
    if not looked_at or not found.trained:
        return (
            Verdict.HOLD,
            f"no {what} task could be held against one of training: they were lost",
        )
    said = f"{copies} of {looked_at} {what} tasks are copies of one of {found.trained} of training"
    if copies <= MOST_COPIES * looked_at:
        return Verdict.GO, said
    part = "" if copies == looked_at else "in part, "
    said = f"{part}this measures memorisation: {said}"
    if found.example is not None:
        said += ", such as {} of {}".format(*map(task_text, found.example))
    if found.varies:
        said += f"; they differ in nothing but what differs when a task is reset again ({found.varies[0]})"
    return Verdict.HOLD, said


def held_out_criterion(found: HeldOutComparison | None) -> Criterion:
    """The criterion of a verdict on a training; ``found`` is None where nobody knows what was trained on."""
    if found is None:
        said = "which tasks it was trained on is not known: neither train.json nor the config says"
        return criterion("held_out", Verdict.HOLD, said)
    return criterion("held_out", *judge_apart(found))


def training_tasks(train: TrainConfig, environment: str | None = None) -> list[TaskOptions]:
    """Tasks that a training flies, the stages in turn.

    Args:
        train: How it trains.
        environment: Name of the environment whose stages are meant; None for the run's target.
    """
    stages = [
        [numbered(dict(stage.options), n) for n in range(min(stage.tasks or TRAINED, TRAINED))]
        for stage in train.curriculum.stages
        if stage.environment == environment
    ]
    mixed = (task for row in zip_longest(*stages) for task in row if task is not None)
    return list(islice(mixed, TRAINED))


def hold_apart(
    run: RunConfig, env: Env, trained: Sequence[TaskOptions], held: Sequence[TaskOptions]
) -> HeldOutComparison:
    """Fly tasks of training and held-out ones, and count those that are alike.

    Args:
        run: The config.
        env: The environment.
        trained: Reset options of tasks of training.
        held: Reset options of held-out tasks.

    Raises:
        EnvironmentFailure: The environment could not be opened.
    """
    if not trained:
        return HeldOutComparison(looked_at=0, trained=None, copies=0, varies=(), example=None)
    return hold_each(run, env, trained, [held])[0]


def hold_each(
    run: RunConfig,
    env: Env,
    trained: Sequence[TaskOptions],
    groups: Sequence[Sequence[TaskOptions]],
) -> list[HeldOutComparison]:
    """The same for several groups of tasks, held against the same tasks of training, in one environment.

    Args:
        run: The config; its seed draws the actions.
        env: The environment.
        trained: Reset options of tasks of training; not empty.
        groups: Reset options of the tasks of each group.
    """
    connection = env.connection
    space = Space(connection.schemas.action, connection.schemas.tools)
    rng = np.random.default_rng(run.seed)
    script = [space.sample(rng) for _ in range(min(ACTIONS, run.rollout.max_turns))]
    known, looked_at = list(trained[:TRAINED]), [list(group[:HELD]) for group in groups]
    listed = [trained[0], trained[0], *known, *(task for group in looked_at for task in group)]
    seen = see_all(connection, listed, script)
    again = list(islice(seen, 2))
    flown = list(zip(known, islice(seen, len(known)), strict=True))
    return [
        count_copies(again, flown, list(zip(group, islice(seen, len(group)), strict=True)))
        for group in looked_at
    ]


def count_copies(
    again: Sequence[Shown | None],
    known: Sequence[tuple[TaskOptions, Shown | None]],
    new: Sequence[tuple[TaskOptions, Shown | None]],
) -> HeldOutComparison:
    """Which of the new ones are among those known, where what one task shows differently again counts for nothing.

    Args:
        again: One task, flown twice.
        known: Options and sight of tasks of training; None where one was lost.
        new: The same of held-out tasks.
    """
    one, two = (dict(shown or []) for shown in again)
    varies = [place for place in one | two if one.get(place) != two.get(place)]
    skipped = frozenset(varies) | labels_of([*known, *new])

    def print_of(shown: Shown) -> str:
        mark = hashlib.sha256()
        for place, value in shown:
            if place not in skipped:
                mark.update(f"{place}\0{json.dumps(value)}\0".encode())
        return mark.hexdigest()

    prints = {print_of(shown): options for options, shown in reversed(known) if shown is not None}
    flown = [(options, print_of(shown)) for options, shown in new if shown is not None]
    copies = [(options, prints[mark]) for options, mark in flown if mark in prints]
    return HeldOutComparison(
        looked_at=len(flown),
        trained=sum(shown is not None for _, shown in known),
        copies=len(copies),
        varies=tuple(varies[:MOST_NAMED]),
        example=copies[0] if copies else None,
    )


def labels_of(seen: Iterable[tuple[TaskOptions, Shown | None]]) -> frozenset[str]:
    """Places at which every task shows its own number: that makes no task another one."""
    found: frozenset[str] | None = None
    for options, shown in seen:
        number = str(options.get("index", options.get("seed")))
        if shown is not None:
            here = frozenset(p for p, value in shown if str(value) == number)
            found = here if found is None else found & here
    return found or frozenset()


def see_all(
    connection: Connection, tasks: Sequence[TaskOptions], script: Sequence[Action]
) -> Iterator[Shown | None]:
    """What each task shows, as many at once as the environment flies; None for one that was lost."""
    for start in range(0, len(tasks), connection.capacity):
        yield from see(connection, tasks[start : start + connection.capacity], script)


def see(
    connection: Connection, tasks: Sequence[TaskOptions], script: Sequence[Action]
) -> list[Shown | None]:
    """What some tasks show: their first observation, their state, and what the script's actions come to."""
    shown: dict[int, Shown] = {slot: [] for slot in range(len(tasks))}
    answers = connection.reset(dict(enumerate(tasks)))
    states = connection.state(list(answers))
    for number, action in enumerate([*script, None]):
        flying = []
        for slot, answer in answers.items():
            if isinstance(answer, Failure):
                del shown[slot]
                continue
            shown[slot] += seen_of(str(number), answer, states.get(slot))
            if not answer.done:
                flying.append(slot)
        if action is None or not flying:
            break
        answers, states = connection.step(dict.fromkeys(flying, action)), {}
    return [shown.get(slot) for slot in range(len(tasks))]


def seen_of(number: str, answer: Transition, state: State | Failure | None) -> Shown:
    """One answer as it is compared: what a policy sees of it, what it is paid, and the state where there is one."""
    given = {k: v for k, v in state.items() if k not in OWN} if isinstance(state, dict) else None
    return list(places_of(comparable(answer, given), number))


def places_of(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """All that a JSON value holds, by its place; a text word by word."""
    inner: Iterable[tuple[Any, Any]]
    if isinstance(value, Mapping):
        inner = value.items()
    elif isinstance(value, list | tuple):
        inner = enumerate(value)
    elif isinstance(value, str) and len(words := WORDS.findall(value)) > 1:
        inner = enumerate(words)
    else:
        yield path, value
        return
    for key, each in inner:
        yield from places_of(each, f"{path}.{key}")
