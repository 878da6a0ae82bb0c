"""A failure that earns as much as a success on its seed: the nearest one, its proof, and which is still to be proven.

It needs no statistics and no scale: one is enough, since both are flown again side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gonogo.auditing.confirmation import (
    ROUNDING,
    Confirmed,
    fly_witness,
    prove_shortest,
    prove_whole,
    resting,
    witness_search,
)
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import (
    EpisodeKeys,
    Survey,
    SurveyRow,
    may_be_clumsy,
    seed_of,
    total,
)
from gonogo.contract.reset_search import past_resets
from gonogo.exploits.witness import Witness, actions_of
from gonogo.records.findings import Severity
from gonogo.records.tables import reset_text
from gonogo.rollouts.episodes import Episode
from gonogo.wire import TaskOptions

BESIDE, BESIDE_ALL = "a failure beside a success", "a failure of any policy beside a success"
"""The stages that hold failures against the best success on a seed: what was flown early, and all."""
EARNS_AS_MUCH = "failure_earns_as_much"
MatchTried = tuple[str, str, float]
"""Name of the row of a failure that earns what a success does, its task, and what that success earns."""


@dataclass(frozen=True, slots=True)
class Match:
    """A failure and the best success on the same seed.

    Attributes:
        row: Who failed.
        failure: How.
        guide: Who succeeded.
        success: How.
        doubted: Whether the success may be a clumsy one, since success is only assumed and something earns more, or
            the same seed may have given another episode.
        turning: Whether resets of one seed open different episodes, so that each has a place among them.
    """

    row: SurveyRow
    failure: Episode
    guide: SurveyRow
    success: Episode
    doubted: bool = False
    turning: bool = False

    @property
    def short_by(self) -> float:
        """How much less the failure earns; a rounding error is nothing."""
        best = total(self.success)
        short = best - total(self.failure)
        return 0.0 if abs(short) <= ROUNDING * max(1.0, abs(best)) else short


def nearest_failure(flown: Survey) -> Match | None:
    """The failure that comes nearest to a success of the same episode, or goes furthest beyond; None without both.

    One that earns as much as a success that nothing surpasses comes before one that is in doubt.
    """
    keys = EpisodeKeys(flown)
    best = keys.best(flown.succeeded)
    most = keys.best(flown.failed) if may_be_clumsy(flown) else {}
    guides = {id(episode): row for row in flown.rows for episode in row.succeeded}

    def held(row: SurveyRow, episode: Episode) -> Match | None:
        key = keys.of(episode)
        success = None if key is None else best.get(key)
        if key is None or success is None:
            return None
        match = Match(row, episode, guides[id(success)], success)
        beyond = key in most and replace(match, failure=most[key]).short_by < 0
        return replace(match, doubted=flown.drawn or beyond, turning=keys.turning)

    pairs = (held(row, episode) for row in flown.rows for episode in row.failed)
    known = (match for match in pairs if match is not None)
    return min(known, key=lambda m: (m.short_by > 0, m.doubted, m.short_by), default=None)


def prove_match(session: AuditSession, task: TaskOptions, match: Match) -> Confirmed | str:
    """Fly a failure and the success that it matches again, in a fresh process.

    Args:
        session: The fresh process.
        task: Reset options of the task, without a seed.
        match: What was flown.

    Returns:
        The finding; or why it could not be told, as a sentence.
    """
    if match.turning:
        return prove_placed(session, task, match)
    options = match.failure.task
    again = fly_witness(session, options, actions_of(match.success.turns))
    if again is None or again.success is not True:
        return f"a success of {match.guide.name} did not succeed again in a fresh process"
    earned = total(again)

    def matches(episode: Episode) -> bool:
        replayed = replace(match, failure=episode, success=again)
        return episode.success is False and replayed.short_by <= 0

    failed = fly_witness(session, options, actions_of(match.failure.turns), whole=True)
    if failed is None or not matches(failed):
        return (
            f"{match.row.name} failed and earned {total(match.failure):g}, as much as a success on its seed, "
            "but a fresh process did not show that again"
        )
    said = (
        f"{match.row.name}: a failure earns {total(failed):g} on a seed on which the best known success, "
        f"of {match.guide.name}, earns {earned:g}"
    )
    seen, who, judged = Witness.of(match.failure), match.row.name, session.judged
    said = resting(said, judged)
    proof = prove_shortest(session, EARNS_AS_MUCH, task, seen, matches, said, who, failed)
    if proof is not None and (judged.doubtful or match.doubted):
        proof = proof.weighing(Severity.SUSPICIOUS)
    return proof or f"the environment failed on a failure of {match.row.name}"


def prove_placed(session: AuditSession, task: TaskOptions, match: Match) -> Confirmed | str:
    """The same where resets of one seed open different episodes: each is looked for among those of a fresh process.

    Args:
        session: A process of the environment.
        task: Reset options of the task, without a seed.
        match: What was flown.
    """
    success, failed = (met_again(session, episode) for episode in (match.success, match.failure))
    if success is None or failed is None:
        return (
            f"{match.row.name} failed and earned {total(match.failure):g}, as much as a success after a reset "
            "that showed the same, but fresh processes did not show both again"
        )
    said = (
        f"{match.row.name}: a failure earns {total(failed):g} where the best known success, of {match.guide.name}, "
        f"earns {total(success):g}, and both resets show the same"
    )
    said = f"{resting(said, session.judged)}; it is shown again {reset_text(failed.resets_before)}"
    seen, who = Witness.of(match.failure), match.row.name
    proof = prove_whole(session, EARNS_AS_MUCH, task, seen, said, who, failed, None)
    proof = replace(proof, settled=True)
    doubted = session.judged.doubtful or match.doubted
    return proof.weighing(Severity.SUSPICIOUS) if doubted else proof


def met_again(session: AuditSession, episode: Episode) -> Episode | None:
    """An episode as a fresh process gives it that shows the same at its reset.

    Args:
        session: Whose environment it is.
        episode: As it was flown.

    Returns:
        It, with the resets before it; None where no number of them gives it.
    """
    seen = Witness.of(episode)

    def is_it(again: Episode) -> bool:
        return again.opened == episode.opened and seen.differs(Witness.of(again)) is None

    search = witness_search(session, seen.task, seen.actions, is_it, drawn=False)
    search = replace(search, same=lambda one, other: is_it(one) and is_it(other))
    past = past_resets(seen.task, session.resets_before(seen.task, seen.actions))
    found = search.find(None, past)
    return None if found is None else replace(found[0], resets_before=found[1])


class Matches:
    """The failures that earn what a success on their seed does, each tried once."""

    def __init__(self) -> None:
        self._tried: set[MatchTried] = set()

    def take(self, flown: Survey, proofs: Sequence[Confirmed]) -> Match | None:
        """The one to be proven now; None where there is none, or the same or something stronger is proven.

        Args:
            flown: The survey.
            proofs: What is proven.
        """
        known = {"failure_out_earns_success", EARNS_AS_MUCH}
        match = nearest_failure(flown)
        if match is None or match.short_by > 0 or any(p.suspected in known for p in proofs):
            return None
        return None if tried_as(match) in self._tried else match

    def close(self, match: Match) -> None:
        """Take down that one was tried to its end: one that the audit's end cut is still to be proven."""
        self._tried.add(tried_as(match))

    def unproven(self, flown: Survey, *, told: bool) -> list[str]:
        """What the audit ended before it could prove, as a sentence; else nothing.

        Args:
            flown: The survey.
            told: Whether the last stage that proves it was flown, or the verdict does not hang on it.
        """
        match = nearest_failure(flown)
        if told or flown.doubtful or match is None or match.short_by > 0 or match.doubted:
            return []
        if tried_as(match) in self._tried:
            return []
        return [
            f"{match.row.name}: a failure earns as much as a success on its seed, and the audit ended before that was "
            "confirmed"
        ]


def tried_as(match: Match) -> MatchTried:
    """By what a failure beside a success is known again."""
    return match.row.name, seed_of(match.failure.task), total(match.success)
