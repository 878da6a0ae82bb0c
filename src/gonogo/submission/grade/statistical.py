"""The statistical checks, whose ids OpenEnv reserves and defines nowhere: definitions are in ``docs/graders.md``.

They ask whether the reward can teach, and whether it pays who does not try. No model is needed: the tiers are
policies that don't try, chance, and the policies that are meant to succeed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import fmean, pvariance
from typing import ClassVar

from openenv.validation import Level, Subject

from gonogo.exploits.panel import Kind
from gonogo.records.audit import TaskSheet
from gonogo.records.record import Estimate
from gonogo.records.submission import GradedTask
from gonogo.submission.grade.grader import (
    EvidenceGrader,
    GraderAnswer,
    RunRecords,
    TaskGrader,
    each_task,
    failed,
    passed,
    unknown,
)

__all__ = [
    "AdversarialFloor",
    "DifficultySeparation",
    "GameabilityGap",
    "Headroom",
    "RewardReachability",
    "TrainingSignal",
    "VarianceBound",
]

ADVERSARIES = frozenset(Kind) - {Kind.IDLE, Kind.RANDOM, Kind.HELD, Kind.CYCLE} | {"search"}
"""Kinds of row that are the RFC's panel: degenerate policies, injections into the grader, reward search."""
ABOVE_FLOOR = 0.25
"""Share of a success's return that a non-solving policy may earn beyond idling: what the audit allows."""
LEAST_HEADROOM = 0.1
"""Share of a success's return that no policy may earn without trying."""
LEAST_RATIO = 1.0
"""Signal to noise of the reward: solving against chance, in standard deviations."""
LEAST_GROUPS = 0.1
"""Share of groups of random episodes that has to show some difference."""
SAME = 1e-9
LEAST_ORDERED = 0.95
"""Probability that a success out-earns a failure on the same seed."""


class StatisticalGrader(EvidenceGrader):
    """A check of the statistical level."""

    level = Level.STATISTICAL


class AuditGrader(StatisticalGrader):
    """A check that each task's sheet of the audit answers by itself.

    Attributes:
        judge_task: The answer to one task's sheet.
    """

    judge_task: ClassVar[Callable[[TaskSheet], GraderAnswer]]

    def judge(self, evidence: RunRecords, subject: Subject) -> GraderAnswer:
        """All tasks."""
        judge = type(self).judge_task
        return each_task((sheet.task, judge(sheet)) for sheet in evidence.audit.tasks)


def interval(returns: Estimate) -> tuple[float, float]:
    """The interval of a policy's mean return; a constant sample is a point."""
    mean = returns.mean or 0.0
    return returns.ci95 or (mean, mean)


def of_kinds(sheet: TaskSheet, kinds: frozenset[str]) -> list[tuple[str, Estimate]]:
    """The policies of some kinds that have a return, and it."""
    rows = [row for row in sheet.policies if row.kind in kinds]
    return [(row.policy, row.returns) for row in rows if row.returns is not None]


REFERENCE = frozenset({"reference"})
NOT_TRYING = frozenset(map(str, Kind))


def reachable(sheet: TaskSheet) -> GraderAnswer:
    """Whether somebody who is meant to succeed on this task does."""
    best = sheet.numbers.reachability
    if best is None:
        return unknown("no policy that is meant to succeed was flown")
    if all(row.success is None for row in sheet.policies):
        return unknown("the environment never says whether an episode succeeded")
    rate = best.mean or 0.0
    said = f"{best.policy} succeeds in {rate:.0%} of its episodes"
    return (passed if rate > 0 else failed)(said, reachability=best.model_dump())


class RewardReachability(AuditGrader):
    """On every task, a policy that is meant to succeed does."""

    check_id = "statistical.reward_reachability"
    remediation = "make the task solvable within its horizon, or ship a policy that solves it"
    judge_task = reachable


def separated(sheet: TaskSheet) -> GraderAnswer:
    """Whether the best of the policies that try out-earns chance on this task."""
    tried, chance = of_kinds(sheet, REFERENCE), of_kinds(sheet, frozenset({"random"}))
    if not tried or not chance:
        return unknown("a policy that is meant to succeed and a random one are both needed")
    low, best = max(((interval(r)[0], name) for name, r in tried), key=lambda each: each[0])
    high = interval(chance[0][1])[1]
    measured = {"policy": best, "low": low, "chance_high": high}
    said = f"{best} earns {low:.4g} or more, chance {high:.4g} or less"
    return passed(said, **measured) if low > high else failed(said, **measured)


class DifficultySeparation(AuditGrader):
    """A policy that can do the task out-earns chance: their intervals lie apart."""

    check_id = "statistical.difficulty_separation"
    remediation = "pay for doing the task, so that policies of different strength earn differently"
    judge_task = separated


def room(sheet: TaskSheet) -> GraderAnswer:
    """How much of a success's return nobody earns without trying on this task."""
    best, floor = sheet.numbers.best_known_return, sheet.numbers.floor
    rows = of_kinds(sheet, NOT_TRYING)
    if best is None or not rows:
        return unknown("no episode succeeded, so nobody knows what a success earns")
    if best <= floor:
        return failed(f"a success earns {best:.4g}, no more than nothing at all")
    highest, top = max(((r.mean or 0.0, name) for name, r in rows), key=lambda each: each[0])
    left = (best - highest) / (best - floor)
    said = f"{top}, without trying, leaves {left:.0%} of what a success earns"
    return (passed if left >= LEAST_HEADROOM else failed)(said, headroom=left, policy=top)


class Headroom(AuditGrader):
    """Who does not try leaves at least a tenth of what a success earns."""

    check_id = "statistical.headroom"
    remediation = "make the task hard enough that repeating one action does not earn nearly all"
    judge_task = room


def at_floor(sheet: TaskSheet) -> GraderAnswer:
    """Whether the adversaries' failures earn what idling's do on this task."""
    rows = [
        (row.paid, row.policy)
        for row in sheet.policies
        if row.kind in ADVERSARIES and row.paid is not None
    ]
    if sheet.numbers.best_known_return is None:
        return unknown("no episode succeeded, so there is no scale to measure pay on")
    if not rows:
        return unknown("no adversary failed often enough to measure what its failures earn")
    floor = next(row for row in sheet.policies if row.kind == "idle").paid or 0.0
    paid, top = max(rows, key=lambda row: row[0])
    said = f"{top} is paid {paid:.2f} of a success where it fails, idling {floor:.2f}"
    judge = passed if paid <= floor + ABOVE_FLOOR else failed
    return judge(said, policy=top, paid=paid, floor=floor, panel=len(rows))


class AdversarialFloor(AuditGrader):
    """Degenerate policies, injections into the grader and reward search earn what idling earns."""

    check_id = "statistical.adversarial_floor"
    remediation = "pay for what was achieved only; the audit's findings say who is paid for what"
    judge_task = at_floor


def ordered(sheet: TaskSheet) -> GraderAnswer:
    """Whether the reward tells success from failure on this task."""
    out_earning = sheet.numbers.failure_out_earns_success
    if out_earning is None:
        return unknown("a success and a failure on the same seed are both needed")
    chance = 1.0 - out_earning.same_seed
    said = f"a success out-earns a failure on the same seed with probability {chance:.3f}"
    return (passed if chance >= LEAST_ORDERED else failed)(said, probability=chance)


class GameabilityGap(AuditGrader):
    """The reward goes with true success."""

    check_id = "statistical.gameability_gap"
    remediation = "pay every success more than any failure on the same task"
    judge_task = ordered


def signal(flown: GradedTask) -> GraderAnswer:
    """Solving against chance, in standard deviations of what they earn."""
    episodes = flown.oracle.episodes
    solved = [e.episode_return for e in episodes if e.episode_return is not None]
    chance = [value for group in flown.random for value in group.returns]
    if not solved or not chance:
        return unknown("a policy that is meant to succeed and a random one are both needed")
    difference = fmean(solved) - fmean(chance)
    noise = math.sqrt((pvariance(solved) + pvariance(chance)) / 2)
    measured = {"difference": difference, "noise": noise}
    said = f"solving earns {difference:.4g} more than chance, and the noise is {noise:.4g}"
    enough = difference > SAME and difference >= LEAST_RATIO * noise
    return (passed if enough else failed)(said, **measured)


class VarianceBound(TaskGrader, StatisticalGrader):
    """Solving the task stands out from the noise of the reward."""

    check_id = "statistical.variance_bound"
    remediation = "take out of the reward what has nothing to do with the task"
    judge_task = signal


class TrainingSignal(StatisticalGrader):
    """Random episodes of the same task differ in what they earn, so that there is something to climb."""

    check_id = "statistical.training_signal"
    remediation = (
        "pay for parts of the way, or offer easier tasks, so that chance earns something at times"
    )

    def judge(self, evidence: RunRecords, subject: Subject) -> GraderAnswer:
        """Over the groups of all tasks together: a curriculum begins where there is a signal."""
        groups = [group.returns for flown in evidence.grade.tasks for group in flown.random]
        groups = [returns for returns in groups if len(returns) > 1]
        if not groups:
            return unknown("no group of random episodes has returns")
        differing = sum(max(returns) - min(returns) > SAME for returns in groups)
        said = f"{differing} of {len(groups)} groups of random episodes differ in what they earn"
        share = differing / len(groups)
        return (passed if share >= LEAST_GROUPS else failed)(said, share=share, groups=len(groups))
