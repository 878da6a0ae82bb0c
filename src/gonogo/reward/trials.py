"""Exploits tried against a reward: plans flown in processes of the environment, with guards and without.

What is tried stands in a record ``exploits.json`` beside the reward's file. The tests that ``gonogo
reward`` writes read it through this module, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

from gonogo.config import RolloutConfig
from gonogo.env.judged import judged
from gonogo.env.target import FolderTarget, ImportTarget, RewardFile, UrlTarget, resolve
from gonogo.env.worker.client import WorkerConnection
from gonogo.errors import Misuse
from gonogo.exploits.witness import decode, encode, fly_plans
from gonogo.records.base import read_record
from gonogo.rollout.engine import Flight
from gonogo.rollout.episodes import Episode
from gonogo.rollout.types import Json
from gonogo.wire import Action, TaskOptions

__all__ = ["KIND", "VERSION", "Case", "Trials", "fly_with", "read_cases", "unguarded"]

KIND, VERSION = "exploits", 1


@dataclass(frozen=True, slots=True)
class Case:
    """One exploit and the guard that it runs into.

    Attributes:
        component: The component that it is after.
        guard: The guard's name.
        exploit: What is done, in words.
        origin: Where it comes from: a finding of the audit, a habit of its panel, a spoiled success.
        task: Reset options.
        plan: Actions, the last one repeated to the end.
        fails: Whether its episode fails.
        guarded: What the component pays it.
        unguarded: What it pays without the guard.
        most_for_a_failure: What the whole bundle may pay it at most, where it fails.
    """

    component: str
    guard: str
    exploit: str
    origin: str
    task: TaskOptions
    plan: list[Action]
    fails: bool
    guarded: float
    unguarded: float
    most_for_a_failure: float

    def __str__(self) -> str:
        return f"{self.component}-{self.guard}-{self.exploit}"

    @property
    def bound(self) -> float:
        """Half the way from what it is paid to what it would be paid."""
        return (self.guarded + self.unguarded) / 2

    def to_json(self) -> Json:
        """The case as the record holds it."""
        return {**asdict(self), "plan": encode(self.plan)}


def read_cases(file: Path) -> list[Case]:
    """The cases of a record.

    Raises:
        MissingRecord: It is not there.
        StaleRecord: It is of another version.
    """
    rows = read_record(file, KIND, VERSION)["cases"]
    return [Case(**{**row, "plan": decode(row["plan"])}) for row in rows]


class Trials:
    """The flights of a record's cases, all in one process.

    Args:
        file: The record; the reward is the file ``reward.py`` beside it.
    """

    def __init__(self, file: Path) -> None:
        record = read_record(file, KIND, VERSION)
        cases, rollout = read_cases(file), RolloutConfig(**record["rollout"])
        plans = [(case.task, case.plan) for case in cases]
        target = resolve(record["target"])
        if isinstance(target, UrlTarget):
            raise Misuse(f"{file}: a reward is tried where the environment runs, not at {target}")
        _, flown = fly_with(target, file.with_name("reward.py"), plans, rollout)
        self._flown = dict(zip(map(str, cases), flown, strict=True))

    def fly(self, case: Case) -> Episode:
        """The episode of a case."""
        return self._flown[str(case)]

    def paid(self, case: Case) -> float:
        """What the case's component paid it."""
        return self.fly(case).components[case.component]

    def paid_without(self, case: Case) -> float:
        """What the component would have paid without the case's guard."""
        return unguarded(self.fly(case), case.component, case.guard)


def unguarded(episode: Episode, component: str, guard: str) -> float:
    """What a component would have paid an episode without one of its guards."""
    without: dict[str, float] = episode.final_metadata.get("without", {})
    return without.get(f"{component}.{guard}", 0.0)


def fly_with(
    target: FolderTarget | ImportTarget,
    reward: Path,
    plans: Sequence[tuple[Json, Sequence[Json]]],
    rollout: RolloutConfig,
) -> tuple[list[Json], list[Episode]]:
    """Fly plans in one fresh process of the environment, scored with a reward and without each guard.

    Args:
        target: The environment.
        reward: File of what pays.
        plans: Reset options and actions of each episode.
        rollout: How.

    Returns:
        Name, weight and guards of the reward's components, and the episodes.

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
        return worker.components, fly_plans(connection, plans, flight, "exploit")
