"""The semantic checks: is what is paid the task, and is it always the same?

All of them rest on ``runtime.episode_determinism``: where the same actions are paid differently, none of these
means anything, and OpenEnv skips them.
"""

from __future__ import annotations

from statistics import fmean

from openenv.validation import Subject

from gonogo.records.submission import GradedTask
from gonogo.submission.grade.grader import (
    GraderAnswer,
    RunRecords,
    check,
    decided,
    each_flown_task,
    each_task,
    failed,
    judge_shown,
    passed,
    unknown,
    within,
)

EXACT = 1e-9


@check(
    "semantic.oracle_max",
    "declare an oracle under capabilities.oracle and validation.policies that earns the declared "
    "maximum, and pay it that",
)
def oracle_max(evidence: RunRecords, subject: Subject) -> GraderAnswer:
    """The oracle is paid the most there is, except the declared tolerance; without an oracle it fails."""
    oracle = subject.manifest.capabilities.oracle
    if oracle is None:
        return failed("no oracle is declared, so nothing shows that the maximum can be earned")
    if oracle.form != "script":
        return unknown("gonogo flies an oracle that is a script; it cannot set a state")
    if not (subject.root / oracle.location).is_file():
        return failed(f"the declared oracle {oracle.location} is not in the package")
    reward = subject.manifest.reward
    bar = reward.range[1] - reward.oracle_tolerance
    return each_task((flown.task, reaches(flown, bar)) for flown in evidence.grade.tasks)


def reaches(flown: GradedTask, bar: float) -> GraderAnswer:
    """Every episode of one task's oracle against the bar."""
    oracle = flown.oracle
    if not oracle.shipped:
        return unknown("the oracle is no policy under validation.policies, which gonogo could fly")
    if lost := [e.error for e in oracle.episodes if e.error is not None]:
        return failed(f"an episode of {oracle.policy} was lost: {lost[0]}")
    least = min(e.episode_return or 0.0 for e in oracle.episodes)
    said = f"{oracle.policy} earns at least {least:.4g}, and the bar is {bar:.4g}"
    measured = {"oracle_reward": least, "bar": bar, "episodes": len(oracle.episodes)}
    return decided(least >= bar - EXACT, said, **measured)


@check("semantic.floor_gap", "pay nothing for an episode in which nothing was done")
def floor_gap(evidence: RunRecords, subject: Subject) -> GraderAnswer:
    """Doing nothing leaves the declared margin below the most there is."""
    reward = subject.manifest.reward
    high, margin = reward.range[1], reward.floor_margin
    return each_task((flown.task, gap(flown, high, margin)) for flown in evidence.grade.tasks)


def gap(flown: GradedTask, high: float, margin: float) -> GraderAnswer:
    """One task's floor against the maximum."""
    returns = [e.episode_return for e in flown.idle.episodes if e.episode_return is not None]
    if not returns:
        return unknown("no idle episode has a return")
    floor = fmean(returns)
    said = f"doing nothing earns {floor:.4g} of {high:g}; the declared margin is {margin:g}"
    measured = {"measured_floor": floor, "maximum": high, "declared_margin": margin}
    return decided(high - floor >= margin, said, **measured)


@check(
    "semantic.canary_floor",
    "pay the shipped canaries no more than doing nothing earns on the same reset",
    requires="canaries",
)
def canary_floor(evidence: RunRecords, subject: Subject) -> GraderAnswer:
    """The package's own known ways to cheat earn no more than doing nothing on the same reset."""
    canaries = evidence.grade.canaries
    if not canaries:
        return failed(f"no canary is at {subject.manifest.capabilities.canaries}")
    measured = [canary.model_dump() for canary in canaries]
    if broken := [c for c in canaries if c.problem is not None]:
        return failed(f"{broken[0].name}: {broken[0].problem}", canaries=measured)
    earned = [(c.name, c.episode_return or 0.0, c.floor or 0.0) for c in canaries]
    said = "; ".join(
        f"{name} earns {paid:.4g}, idling {floor:.4g}"
        for name, paid, floor in earned
        if paid > floor + EXACT
    )
    if said:
        return failed(said, canaries=measured)
    return passed(f"{len(canaries)} canaries earn no more than idling", canaries=measured)


@check(
    "semantic.no_solution_leakage",
    "take the answer, and what it can be read from, out of the observation",
)
def no_solution_leakage(evidence: RunRecords, subject: Subject) -> GraderAnswer:
    """No observation shows the solution.

    Fails where the audit proved a leak, or what a reset shows solves the task when it is sent back.
    """
    if proven := evidence.found("leaked_answer"):
        return failed(proven[0].explanation)
    return judge_shown(evidence, frozenset({"observation"}))


@check(
    "semantic.verifier_determinism",
    "let the verdict depend on the episode only: no clock, hash(), chance or network",
)
@each_flown_task
def verifier_determinism(flown: GradedTask) -> GraderAnswer:
    """The same actions get the same verdict and reward, of success and of failure, in another process too."""
    replays = flown.replays
    if differs := [r.verdict for r in replays if r.verdict is not None]:
        return failed(differs[0])
    if not any(r.success for r in replays):
        return unknown("no succeeding episode was replayed, so a success was never judged twice")
    said = f"{len(replays)} episodes judged again in another process, twice each: all alike"
    return passed(said, replays=len(replays))


@check(
    "semantic.replayability",
    "let every observation and reward depend on the seed and the actions only",
)
@each_flown_task
def replayability(flown: GradedTask) -> GraderAnswer:
    """A recorded episode, flown again in a fresh process, answers the same at every step."""
    replays = flown.replays
    if differs := [r.difference for r in replays if r.difference is not None]:
        return failed(differs[0])
    if not replays:
        return unknown("no episode was flown to its end, so none was replayed")
    steps = sum(r.steps for r in replays)
    return passed(f"{len(replays)} episodes, {steps} steps: the same again", steps=steps)


@check(
    "semantic.resource_envelope",
    "declare in validation.resources what an episode takes, or take less",
)
def resource_envelope(evidence: RunRecords, subject: Subject) -> GraderAnswer:
    """Solving the task takes no more time and memory than is declared.

    Measured while recorded episodes, the oracle's among them, were flown again alone.
    """
    return within(evidence.grade.resources.replays, subject.manifest.resources)
