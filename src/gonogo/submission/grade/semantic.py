"""The semantic checks: is what is paid the task, and is it always the same?

All of them rest on ``runtime.episode_determinism``: where the same actions are paid differently, none of these
means anything, and OpenEnv skips them.
"""

from __future__ import annotations

from statistics import fmean

from openenv.validation import Level, Subject

from gonogo.records.submission import GradedTask
from gonogo.submission.grade.grader import (
    EvidenceGrader,
    GraderAnswer,
    RunRecords,
    TaskGrader,
    each_task,
    failed,
    judge_shown,
    passed,
    unknown,
    within,
)

__all__ = [
    "CanaryFloor",
    "FloorGap",
    "NoSolutionLeakage",
    "OracleMax",
    "Replayability",
    "ResourceEnvelope",
    "VerifierDeterminism",
]

EXACT = 1e-9


class SemanticGrader(EvidenceGrader):
    """A check of the semantic level."""

    level = Level.SEMANTIC
    depends_on = ("runtime.episode_determinism",)


class OracleMax(SemanticGrader):
    """The oracle is paid the most there is, but for the declared tolerance; without an oracle it fails."""

    check_id = "semantic.oracle_max"
    remediation = (
        "declare an oracle under capabilities.oracle and validation.policies that earns the declared "
        "maximum, and pay it that"
    )

    def judge(self, evidence: RunRecords, subject: Subject) -> GraderAnswer:
        """Every episode of the package's own oracle against the declared range."""
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
    """One task's oracle against the bar."""
    oracle = flown.oracle
    if not oracle.shipped:
        return unknown("the oracle is no policy under validation.policies, which gonogo could fly")
    lost = [e.error for e in oracle.episodes if e.error is not None]
    if lost:
        return failed(f"an episode of {oracle.policy} was lost: {lost[0]}")
    least = min(e.episode_return or 0.0 for e in oracle.episodes)
    measured = {"oracle_reward": least, "bar": bar, "episodes": len(oracle.episodes)}
    said = f"{oracle.policy} earns at least {least:.4g}, and the bar is {bar:.4g}"
    return passed(said, **measured) if least >= bar - EXACT else failed(said, **measured)


class FloorGap(SemanticGrader):
    """Doing nothing leaves the declared margin below the most there is."""

    check_id = "semantic.floor_gap"
    remediation = "pay nothing for an episode in which nothing was done"

    def judge(self, evidence: RunRecords, subject: Subject) -> GraderAnswer:
        """The measured floor of each task against the declared maximum and margin."""
        reward = subject.manifest.reward
        high, margin = reward.range[1], reward.floor_margin
        return each_task((flown.task, gap(flown, high, margin)) for flown in evidence.grade.tasks)


def gap(flown: GradedTask, high: float, margin: float) -> GraderAnswer:
    """One task's floor against the maximum."""
    returns = [e.episode_return for e in flown.idle.episodes if e.episode_return is not None]
    if not returns:
        return unknown("no idle episode has a return")
    floor = fmean(returns)
    measured = {"measured_floor": floor, "maximum": high, "declared_margin": margin}
    said = f"doing nothing earns {floor:.4g} of {high:g}; the declared margin is {margin:g}"
    return passed(said, **measured) if high - floor >= margin else failed(said, **measured)


class CanaryFloor(SemanticGrader):
    """The package's own known ways to cheat earn no more than doing nothing."""

    check_id = "semantic.canary_floor"
    requires_capabilities = frozenset({"canaries"})
    remediation = "pay the shipped canaries no more than doing nothing earns on the same reset"

    def judge(self, evidence: RunRecords, subject: Subject) -> GraderAnswer:
        """Each canary against idling on its own reset."""
        canaries = evidence.grade.canaries
        if not canaries:
            return failed(f"no canary is at {subject.manifest.capabilities.canaries}")
        measured = [canary.model_dump() for canary in canaries]
        broken = [c for c in canaries if c.problem is not None]
        if broken:
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


class NoSolutionLeakage(SemanticGrader):
    """No observation shows the solution."""

    check_id = "semantic.no_solution_leakage"
    remediation = "take the answer, and what it can be read from, out of the observation"

    def judge(self, evidence: RunRecords, subject: Subject) -> GraderAnswer:
        """Fails where the audit proved a leak, or what a reset shows solves the task when it is sent back."""
        proven = evidence.found("leaked_answer")
        if proven:
            return failed(proven[0].explanation)
        return judge_shown(evidence, frozenset({"observation"}))


def verdicts(flown: GradedTask) -> GraderAnswer:
    """Whether one task's replays were judged alike."""
    replays = flown.replays
    differs = [r.verdict for r in replays if r.verdict is not None]
    if differs:
        return failed(differs[0])
    if not any(r.success for r in replays):
        return unknown("no succeeding episode was replayed, so a success was never judged twice")
    said = f"{len(replays)} episodes judged again in another process, twice each: all alike"
    return passed(said, replays=len(replays))


class VerifierDeterminism(TaskGrader, SemanticGrader):
    """The same actions get the same verdict and reward, of success and of failure, in another process too."""

    check_id = "semantic.verifier_determinism"
    remediation = "let the verdict depend on the episode only: no clock, hash(), chance or network"
    judge_task = verdicts


def replayed(flown: GradedTask) -> GraderAnswer:
    """Whether one task's replays are what was recorded."""
    replays = flown.replays
    differs = [r.difference for r in replays if r.difference is not None]
    if differs:
        return failed(differs[0])
    if not replays:
        return unknown("no episode was flown to its end, so none was replayed")
    steps = sum(r.steps for r in replays)
    return passed(f"{len(replays)} episodes, {steps} steps: the same again", steps=steps)


class Replayability(TaskGrader, SemanticGrader):
    """A recorded episode, flown again in a fresh process, answers the same at every step."""

    check_id = "semantic.replayability"
    remediation = "let every observation and reward depend on the seed and the actions only"
    judge_task = replayed


class ResourceEnvelope(SemanticGrader):
    """Solving the task takes no more time and memory than is declared."""

    check_id = "semantic.resource_envelope"
    remediation = "declare in validation.resources what an episode takes, or take less"

    def judge(self, evidence: RunRecords, subject: Subject) -> GraderAnswer:
        """Measured while recorded episodes, the oracle's among them, were flown again alone."""
        return within(evidence.grade.resources.replays, subject.manifest.resources)
