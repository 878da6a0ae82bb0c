"""What ``gonogo reward`` leaves: the reward's components with their exploits, and the audit by either reward."""

from __future__ import annotations

from typing import ClassVar

from gonogo.records.record import Part, Record, StationRecord, VerdictName
from gonogo.wire import Action, JsonObject, TaskOptions


class ExploitCase(Part):
    """One exploit and the guard that it runs into."""

    component: str
    """The component that it is after."""
    guard: str
    exploit: str
    """What is done, in words."""
    origin: str
    """Where it comes from: a finding of the audit, a habit of its panel, a spoiled success."""
    task: TaskOptions
    plan: tuple[Action, ...]
    """Actions, the last one repeated to the end; numbers that JSON has not are named."""
    fails: bool
    """Whether its episode fails."""
    guarded: float
    """What the component pays it."""
    unguarded: float
    """What it pays without the guard."""
    most_for_a_failure: float
    """What the whole bundle may pay it at most, where it fails."""

    def __str__(self) -> str:
        return f"{self.component}-{self.guard}-{self.exploit}"

    @property
    def bound(self) -> float:
        """Half the way from what it is paid to what it would be paid."""
        return (self.guarded + self.unguarded) / 2


class ExploitCases(Record):
    """The exploits that the tests beside a reward fly."""

    kind: ClassVar[str] = "exploits"
    version: ClassVar[int] = 1
    station: ClassVar[str] = "reward"

    target: str
    rollout: JsonObject
    """The part of the config that says how episodes are flown."""
    cases: tuple[ExploitCase, ...]


class RewardComponent(Part):
    """A component of a reward."""

    name: str
    weight: float
    guards: dict[str, str]
    """What each guard is for, by its name."""


class ComponentExploits(RewardComponent):
    """A component of a reward, with the exploits that its guards keep out."""

    cases: tuple[ExploitCase, ...]


class WrittenReturns(Part):
    """Returns flown before the audit, each by the environment's own reward and by the new one; None where none was."""

    worst_success: tuple[float | None, float | None]
    best_failure: tuple[float | None, float | None]


class SuiteOutcome(Part):
    """What became of the tests beside a reward."""

    passed: bool
    said: str
    """Their last line."""


class WrittenReward(Part):
    """A reward that was written and tried, before it is audited."""

    environment: str
    reward_hash: str | None
    """Of the reward's file."""
    written_hash: str | None
    """Of the reward as gonogo last wrote it; another one where it was edited, None where it never wrote it."""
    components: tuple[ComponentExploits, ...]
    alike: tuple[tuple[str, str], ...]
    """Pairs of components that paid the same in every episode: they are one component."""
    flown: WrittenReturns
    tests: SuiteOutcome
    notes: tuple[str, ...]


class AuditSide(Part):
    """What an audit by one of the two rewards said."""

    verdict: VerdictName
    reason: str
    findings: tuple[str, ...]
    """Their ids."""


class SideNumber(Part):
    """A number of the audit about a task, by both rewards; None where it is not known."""

    task: TaskOptions
    number: str
    """Which, in words."""
    before: float | None
    """By the environment's own reward."""
    after: float | None
    """By the new one."""


class RewardReport(StationRecord, WrittenReward):
    """A reward written from an audit, and what the audit says with it."""

    kind: ClassVar[str] = "reward"
    version: ClassVar[int] = 1
    station: ClassVar[str] = "reward"

    before: AuditSide
    """By the environment's own reward."""
    after: AuditSide
    """By the new one."""
    sides: tuple[SideNumber, ...]
    seed: int
    config: JsonObject
    """The parts of the config that it was written by."""
