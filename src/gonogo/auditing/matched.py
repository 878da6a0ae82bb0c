"""Does any failure earn what a success on the same seed does? One is enough, since both are flown again side by side.

Other suspicions need a habit that is paid on many seeds; this one needs no statistics, and no scale.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from gonogo.auditing.calibration import seed_of, total
from gonogo.auditing.confirm import Confirmed, fly_witness, proven, shortest
from gonogo.auditing.plans import actions_of
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, SurveyRow
from gonogo.exploits.witness import Witness
from gonogo.rollouts.episodes import Episode
from gonogo.wire import TaskOptions

__all__ = ["FINDING", "Match", "nearest_failure", "prove_match"]

FINDING = "failure_earns_as_much"
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Match:
    """A failure and the best success on the same seed.

    Attributes:
        row: Who failed.
        failure: How.
        guide: Who succeeded.
        success: How.
    """

    row: SurveyRow
    failure: Episode
    guide: SurveyRow
    success: Episode

    @property
    def short_by(self) -> float:
        """How much less the failure earns; a rounding error is nothing."""
        best = total(self.success)
        short = best - total(self.failure)
        return 0.0 if abs(short) <= ROUNDING * max(1.0, abs(best)) else short


def nearest_failure(flown: Survey) -> Match | None:
    """The failure that comes nearest to a success on its seed, or goes furthest beyond; None without both."""
    best: dict[str, tuple[SurveyRow, Episode]] = {}
    for row in flown.rows:
        for episode in row.succeeded:
            known = best.get(seed_of(episode.task))
            if known is None or total(episode) > total(known[1]):
                best[seed_of(episode.task)] = row, episode
    pairs = (
        Match(row, episode, *best[seed_of(episode.task)])
        for row in flown.rows
        for episode in row.failed
        if seed_of(episode.task) in best
    )
    return min(pairs, key=lambda match: match.short_by, default=None)


def prove_match(session: AuditSession, task: TaskOptions, match: Match) -> Confirmed | str:
    """Fly a failure and the success that it matches again, in a fresh process.

    Args:
        session: The fresh process.
        task: Reset options of the task, without a seed.
        match: What was flown.

    Returns:
        The finding; or why it could not be told, as a sentence.
    """
    options = match.failure.task
    again = fly_witness(session, options, actions_of(match.success.turns))
    if again is None or again.success is not True:
        return f"a success of {match.guide.name} did not succeed again in a fresh process"
    earned = total(again)

    def matches(episode: Episode) -> bool:
        replayed = replace(match, failure=episode, success=again)
        return episode.success is False and replayed.short_by <= 0

    failed = fly_witness(session, options, actions_of(match.failure.turns))
    if failed is None or not matches(failed):
        return (
            f"{match.row.name} failed and earned {total(match.failure):g}, as much as a success on its seed, "
            "and did not so again in a fresh process"
        )
    plan = shortest(session, Witness.of(match.failure), matches)
    said = (
        f"{match.row.name}: a failure earns {total(failed):g} on a seed on which the best known success, "
        f"of {match.guide.name}, earns {earned:g}"
    )
    proof = proven(session, FINDING, task, options, plan, said, match.row.name)
    return proof or f"the environment failed on a failure of {match.row.name}"
