"""Exploits tried against a reward: plans flown in processes of the environment, with guards and without.

What is tried stands in a record ``exploits.json`` beside the reward's file. The tests that ``gonogo
reward`` writes read it through this module, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from gonogo.config import RolloutConfig
from gonogo.env.judged import judged
from gonogo.env.target import FolderTarget, ImportTarget, RewardFile, UrlTarget, resolve
from gonogo.env.worker.client import WorkerConnection
from gonogo.errors import Misuse
from gonogo.exploits.witness import decode, fly_plans
from gonogo.records.reward import ExploitCase, ExploitCases, RewardComponent
from gonogo.rollouts.engine import Flight
from gonogo.rollouts.episodes import Episode
from gonogo.wire import Action, TaskOptions

__all__ = ["Case", "Trials", "fly_with", "read_cases", "unguarded"]

Case = ExploitCase
"""What the tests that were written call it."""


def read_cases(file: Path) -> tuple[ExploitCase, ...]:
    """The cases of a record.

    Raises:
        MissingRecord: It is not there.
        StaleRecord: It is of another version, or a field is not what it has to be.
    """
    return ExploitCases.load(file.parent).cases


class Trials:
    """The flights of a record's cases, all in one process.

    Args:
        file: The record; the reward is the file ``reward.py`` beside it.
    """

    def __init__(self, file: Path) -> None:
        record = ExploitCases.load(file.parent)
        rollout, target = RolloutConfig(**record.rollout), resolve(record.target)
        plans = [(case.task, decode(case.plan)) for case in record.cases]
        if isinstance(target, UrlTarget):
            raise Misuse(f"{file}: a reward is tried where the environment runs, not at {target}")
        _, flown = fly_with(target, file.with_name("reward.py"), plans, rollout)
        self._flown = dict(zip(map(str, record.cases), flown, strict=True))

    def fly(self, case: ExploitCase) -> Episode:
        """The episode of a case."""
        return self._flown[str(case)]

    def paid(self, case: ExploitCase) -> float:
        """What the case's component paid it."""
        return self.fly(case).components[case.component]

    def paid_without(self, case: ExploitCase) -> float:
        """What the component would have paid without the case's guard."""
        return unguarded(self.fly(case), case.component, case.guard)


def unguarded(episode: Episode, component: str, guard: str) -> float:
    """What a component would have paid an episode without one of its guards."""
    without: dict[str, float] = episode.final_metadata.get("without", {})
    return without.get(f"{component}.{guard}", 0.0)


def fly_with(
    target: FolderTarget | ImportTarget,
    reward: Path,
    plans: Sequence[tuple[TaskOptions, Sequence[Action]]],
    rollout: RolloutConfig,
) -> tuple[list[RewardComponent], list[Episode]]:
    """Fly plans in one fresh process of the environment, scored with a reward and without each guard.

    Args:
        target: The environment.
        reward: File of what pays.
        plans: Reset options and actions of each episode.
        rollout: How.

    Returns:
        The reward's components, and the episodes.

    Raises:
        ConfigError: The reward breaks a rule.
        Misuse: What success is cannot be told from the environment's observations.
    """
    worker = WorkerConnection(
        target,
        rollout.slots,
        timeout_s=rollout.timeout_s,
        startup_s=rollout.startup_s,
        reward=RewardFile(reward, ablate=True),
    )
    with closing(judged(worker, rollout.success)) as connection:
        flight = Flight(str(target), rollout.max_turns)
        described = [RewardComponent(**component) for component in worker.components]
        return described, fly_plans(connection, plans, flight, "exploit")
