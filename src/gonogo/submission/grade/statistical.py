"""The statistical checks, whose ids OpenEnv reserves and defines nowhere: definitions are in ``docs/graders.md``.

They ask whether the reward can teach, and whether it pays who does not try. No model is needed: the tiers are
policies that don't try, chance, and the policies that are meant to succeed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import fmean, pvariance

from openenv.validation import Subject

from gonogo.exploits.panel import Kind
from gonogo.records.audit import TaskSheet
from gonogo.records.record import Estimate
from gonogo.records.submission import GradedTask
from gonogo.submission.grade.grader import (
    GraderAnswer,
    Judge,
    RunRecords,
    check,
    decided,
    each_flown_task,
    each_task,
    failed,
    unknown,
)

NOT_TRYING = frozenset(map(str, Kind))
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


def each_audited_task(judge: Callable[[TaskSheet], GraderAnswer]) -> Judge:
    """Answers for all tasks from the answer to one task's sheet of the audit."""
    return lambda evidence, subject: each_task(
        (sheet.task, judge(sheet)) for sheet in evidence.audit.tasks
    )


def interval(returns: Estimate) -> tuple[float, float]:
    """The interval of a policy's mean return; a constant sample is a point."""
    mean = returns.mean or 0.0
    return returns.ci95 or (mean, mean)


def of_kinds(sheet: TaskSheet, *kinds: str) -> list[tuple[str, Estimate]]:
    """The policies of some kinds that have a return, and it."""
    rows = [row for row in sheet.policies if row.kind in kinds]
    return [(row.policy, row.returns) for row in rows if row.returns is not None]


@check(
    "statistical.reward_reachability",
    "make the task solvable within its horizon, or ship a policy that solves it",
)
@each_audited_task
def reward_reachability(sheet: TaskSheet) -> GraderAnswer:
    """On every task, a policy that is meant to succeed does."""
    best = sheet.numbers.reachability
    if best is None:
        return unknown("no policy that is meant to succeed was flown")
    if all(row.success is None for row in sheet.policies):
        return unknown("the environment never says whether an episode succeeded")
    rate = best.mean or 0.0
    said = f"{best.policy} succeeds in {rate:.0%} of its episodes"
    return decided(rate > 0, said, reachability=best.model_dump())


@check(
    "statistical.difficulty_separation",
    "pay for doing the task, so that policies of different strength earn differently",
)
@each_audited_task
def difficulty_separation(sheet: TaskSheet) -> GraderAnswer:
    """A policy that can do the task out-earns chance: their intervals lie apart."""
    tried, chance = of_kinds(sheet, "reference"), of_kinds(sheet, "random")
    if not tried or not chance:
        return unknown("a policy that is meant to succeed and a random one are both needed")
    low, best = max(((interval(r)[0], name) for name, r in tried), key=lambda each: each[0])
    high = interval(chance[0][1])[1]
    said = f"{best} earns {low:.4g} or more, chance {high:.4g} or less"
    return decided(low > high, said, policy=best, low=low, chance_high=high)


@check(
    "statistical.headroom",
    "make the task hard enough that repeating one action does not earn nearly all",
)
@each_audited_task
def headroom(sheet: TaskSheet) -> GraderAnswer:
    """Who does not try leaves at least a tenth of what a success earns."""
    best, floor = sheet.numbers.best_known_return, sheet.numbers.floor
    rows = of_kinds(sheet, *NOT_TRYING)
    if best is None or not rows:
        return unknown("no episode succeeded, so nobody knows what a success earns")
    if best <= floor:
        return failed(f"a success earns {best:.4g}, no more than nothing at all")
    highest, top = max(((r.mean or 0.0, name) for name, r in rows), key=lambda each: each[0])
    left = (best - highest) / (best - floor)
    said = f"{top}, without trying, leaves {left:.0%} of what a success earns"
    return decided(left >= LEAST_HEADROOM, said, headroom=left, policy=top)


@check(
    "statistical.adversarial_floor",
    "pay for what was achieved only; the audit's findings say who is paid for what",
)
@each_audited_task
def adversarial_floor(sheet: TaskSheet) -> GraderAnswer:
    """Degenerate policies, injections into the grader and reward search earn what idling earns, where they fail."""
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
    measured = {"policy": top, "paid": paid, "floor": floor, "panel": len(rows)}
    return decided(paid <= floor + ABOVE_FLOOR, said, **measured)


@check(
    "statistical.gameability_gap",
    "pay every success more than any failure on the same task",
)
@each_audited_task
def gameability_gap(sheet: TaskSheet) -> GraderAnswer:
    """The reward goes with true success."""
    out_earning = sheet.numbers.failure_out_earns_success
    if out_earning is None:
        return unknown("a success and a failure on the same seed are both needed")
    chance = 1.0 - out_earning.same_seed
    said = f"a success out-earns a failure on the same seed with probability {chance:.3f}"
    return decided(chance >= LEAST_ORDERED, said, probability=chance)


@check(
    "statistical.variance_bound",
    "take out of the reward what has nothing to do with the task",
)
@each_flown_task
def variance_bound(flown: GradedTask) -> GraderAnswer:
    """Solving the task stands out from chance and from the noise of the reward, in standard deviations."""
    episodes = flown.oracle.episodes
    solved = [e.episode_return for e in episodes if e.episode_return is not None]
    chance = [value for group in flown.random for value in group.returns]
    if not solved or not chance:
        return unknown("a policy that is meant to succeed and a random one are both needed")
    difference = fmean(solved) - fmean(chance)
    noise = math.sqrt((pvariance(solved) + pvariance(chance)) / 2)
    said = f"solving earns {difference:.4g} more than chance, and the noise is {noise:.4g}"
    enough = difference > SAME and difference >= LEAST_RATIO * noise
    return decided(enough, said, difference=difference, noise=noise)


@check(
    "statistical.training_signal",
    "pay for parts of the way, or offer easier tasks, so that chance earns something at times",
)
def training_signal(evidence: RunRecords, subject: Subject) -> GraderAnswer:
    """Random episodes of the same task differ in what they earn, so that there is something to climb.

    Over the groups of all tasks together: a curriculum begins where there is a signal.
    """
    groups = [group.returns for flown in evidence.grade.tasks for group in flown.random]
    groups = [returns for returns in groups if len(returns) > 1]
    if not groups:
        return unknown("no group of random episodes has returns")
    differing = sum(max(returns) - min(returns) > SAME for returns in groups)
    said = f"{differing} of {len(groups)} groups of random episodes differ in what they earn"
    share = differing / len(groups)
    return decided(share >= LEAST_GROUPS, said, share=share, groups=len(groups))
