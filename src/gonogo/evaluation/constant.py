"""The best of the policies that repeat one action: the least that a trained policy has to be paid more than.

Each constant of the panel flies the first few tasks. The one that is paid best there flies all of them beside the
others, if it is paid more than idle. So it is chosen on tasks on which it is then measured, which is in its favour.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from statistics import fmean

from gonogo.config import RunConfig
from gonogo.env.environment import Env
from gonogo.errors import MissingRecord, StaleRecord
from gonogo.exploits.panel import Habit, Kind, panel
from gonogo.records.evaluation import BestConstant, ConstantChoice
from gonogo.rollouts.builtin_policies import ALWAYS
from gonogo.rollouts.summary import score_of
from gonogo.wire import TaskOptions

__all__ = ["best_constant", "constants_in_words"]

TRIED_ON = 4
"""Tasks that each constant flies to be chosen by."""
KINDS = frozenset({Kind.CONSTANT, Kind.SHOTGUN, Kind.CLAIM})
"""Kinds of the panel's habits that always do the same, and might mean it."""


def best_constant(run: RunConfig, env: Env, fingerprint: str) -> ConstantChoice:
    """Which constant is paid best, from the file that a former call left, or flown.

    Args:
        run: The config.
        env: The environment.
        fingerprint: Of everything that their episodes depend on.

    Raises:
        EnvironmentFailure: The environment could not be opened.
    """
    folder = run.out / "evaluation"
    try:
        known = BestConstant.load(folder)
    except (MissingRecord, StaleRecord):
        pass  # it was never chosen, or by another version
    else:
        if known.fingerprint == fingerprint:
            return known.choice
    found = choose(run, env)
    BestConstant(fingerprint=fingerprint, **dict(found)).save(folder)
    return found


def choose(run: RunConfig, env: Env) -> ConstantChoice:
    """Fly the constants; see :func:`best_constant`."""
    tasks, schemas = run.evaluation.tasks()[:TRIED_ON], env.schemas
    habits = panel(schemas.action, schemas.observation, schemas.tools, run.seed)
    idle, *others = [habit for habit in habits if habit.kind in {Kind.IDLE, *KINDS}]
    paid = {habit: score(env, habit, tasks) for habit in (idle, *others)}
    best = max(paid, key=lambda habit: paid[habit])
    name = None if paid[best] <= paid[idle] else ALWAYS + json.dumps(best.action)
    return ConstantChoice(tried=len(others), tasks=len(tasks), policy=name)


def score(env: Env, habit: Habit, tasks: Sequence[TaskOptions]) -> float:
    """Mean score of a habit on some tasks; minus infinity where none was scored."""
    flown = env.rollout(habit, tasks)
    scores = [value for episode in flown if (value := score_of(episode)) is not None]
    return fmean(scores) if scores else float("-inf")


def constants_in_words(chosen: ConstantChoice | None) -> list[str]:
    """How the best constant was chosen, for a record's notes; nothing where none was."""
    if chosen is None:
        return []
    among = f"of {chosen.tried} fixed actions, repeated on the first {chosen.tasks} tasks"
    if chosen.policy is None:
        return [f"constants: {among}, none is paid more than idle, which stands for them"]
    return [f"constants: {among}, the best paid is {chosen.policy.removeprefix(ALWAYS)}"]
