"""Episodes that show what the map and the audit do not write down: how long a success takes, and when pay comes.

Flown are the policy that the audit saw succeed most, or the environment's own teacher where there is no audit, and two
that do not try: idle, which does the same whatever is hidden, and random.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from gonogo.config import RunConfig
from gonogo.env.environment import Env
from gonogo.errors import Misuse, PolicyFailure
from gonogo.policies.named import find_policy
from gonogo.records.audit import AuditReport
from gonogo.records.contract import ContractReport
from gonogo.rollouts.episodes import Episode
from gonogo.wire import TaskOptions

__all__ = ["fly_all"]

MOST_TASKS = 8
SEEDS = 4
NOT_TRYING = ("idle", "random")


def fly_all(
    run: RunConfig, mapped: ContractReport, audited: AuditReport | None
) -> tuple[list[Episode], list[str]]:
    """The episodes that ended without an error, and notes on policies that failed.

    Args:
        run: The config; its seed and limit of turns are used.
        mapped: Its map, whose tasks are flown.
        audited: Its audit, or None.

    Raises:
        EnvironmentFailure: The environment could not be started.
    """
    tasks = tasks_of(mapped)
    episodes: list[Episode] = []
    notes: list[str] = []
    with Env.of(run) as env:
        for name in dict.fromkeys([*guide(env, audited), *NOT_TRYING]):
            try:
                named = find_policy(name, env.target, env.schemas, seed=run.seed)
                with closing(named.policy) as policy:
                    flown = env.rollout(policy, tasks)
            except (Misuse, PolicyFailure) as error:
                notes.append(f"{name} could not be flown: {error}")
                continue
            episodes += [episode for episode in flown if episode.error is None and episode.turns]
    return episodes, notes


def tasks_of(mapped: ContractReport) -> list[TaskOptions]:
    """The map's first tasks, each with a few seeds where its options do not name one episode."""
    tasks: list[TaskOptions] = []
    for options in (task.options for task in mapped.tasks.flown[:MOST_TASKS]):
        seeds = [] if {"index", "seed"} & options.keys() else range(SEEDS)
        tasks += [{**options, "seed": seed} for seed in seeds] or [options]
    return tasks


def guide(env: Env, audited: AuditReport | None) -> Iterator[str]:
    """The policy that is most likely to succeed; none where nobody is known to."""
    if audited is None:
        teacher = None if env.references is None else env.references.teacher
        yield from [teacher] if teacher else []
        return
    rates: dict[str, list[float]] = {}
    for row in (row for sheet in audited.tasks for row in sheet.policies):
        if row.kind == "reference":
            rate = 0.0 if row.success is None else row.success.mean or 0.0
            rates.setdefault(row.policy, []).append(rate)
    if rates:
        yield max(rates, key=lambda name: sum(rates[name]))
