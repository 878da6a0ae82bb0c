"""What stands near a right answer: whether the reward and success agree on it, and whether anything raises at it.

A policy that is meant to succeed knows a right answer. Its text is sent again, changed in one thing at a time (see
:mod:`gonogo.auditing.variants`): written otherwise, cut, in another order, with another number in it, wrapped. Nobody
has to know which of these is right, for the environment says of each whether it succeeded. So three things can be
told. A change that fails and is paid as much as the success on its seed is a wrong answer that is accepted. A change
that succeeds and is paid no more than a failure on its seed is a right answer that is refused. And what raises at a
change is an error that answers of the right form meet, where the usual nonsense may be turned away before it.

Of the many changes only those rows are kept that show something, some of each kind: the others are as they should be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gonogo.auditing.checks.environment_errors import NAMES
from gonogo.auditing.confirmation import ROUNDING, Confirmed, fly_witness, resting
from gonogo.auditing.matching import EARNS_AS_MUCH
from gonogo.auditing.plans import texts_of
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import (
    REFERENCE,
    EpisodeKeys,
    PlannedFlight,
    Starts,
    Survey,
    SurveyRow,
    guide_of,
    starts_of,
    total,
)
from gonogo.auditing.variants import in_turn, variants
from gonogo.exploits.witness import Witness, actions_of
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.space import ActionField, put, value_at
from gonogo.wire import Observation, TaskOptions

NEAR = "near"
"""Kind of the rows whose plan is a success with its answer changed."""
LONGEST = 12
"""Turns of a success, beyond which trying its answer in many forms costs too much."""
STEPS, STEPS_FOUND = 1_600, 400
"""What the changes may spend: of a policy that is meant to succeed, and of what exploration found to succeed."""
EACH_SHOWN = 4
"""Rows that are kept of each kind that shows something."""
HALF = 0.5
"""Share of a success above nothing, from which on a lesser one is partly paid and not refused."""
SUCCESS_UNPAID = "success_unpaid"
RESTING = frozenset({EARNS_AS_MUCH, SUCCESS_UNPAID})
"""Findings beside those that are suspected first which rest on what success is."""
NOT_AGAIN = "a success was paid no more than a failure, and not so again in a fresh process"

Changed = dict[str, PlannedFlight]
"""What is flown of a success for each name of a change."""


def neighbours(
    session: AuditSession, tasks: Sequence[TaskOptions], flown: Survey
) -> Iterator[SurveyRow]:
    """Fly what the guide answered in other forms, and yield the rows that show something.

    Args:
        session: Where.
        tasks: The tasks that are flown first.
        flown: The survey, which holds the guide's row.
    """
    guide = guide_of(flown)
    starts = starts_of(guide, tasks, flown)
    row = None if guide is None else flown.named(guide)
    leaf = answered(starts, texts_of(session.space))
    if row is None or leaf is None or max(len(turns) for _, turns in starts) > LONGEST:
        return
    shown, most = ShownByChanges(flown), STEPS if row.kind == REFERENCE else STEPS_FOUND
    began = session.spent
    plans = changes(leaf, starts)
    names = list(dict.fromkeys(in_turn([iter(plan) for plan in plans])))
    session.part.expect(len(names))
    for name in names:
        if session.spent - began >= most:
            return
        near = near_row(
            session, name, row.name, leaf, [plan[name] for plan in plans if name in plan]
        )
        if shown.something(near.episodes):
            yield near


def near_row(
    session: AuditSession, name: str, guide: str, leaf: ActionField, plans: Sequence[PlannedFlight]
) -> SurveyRow:
    """The row of one change, flown no longer than what it was made of and a step more.

    Args:
        session: Where.
        name: The change's.
        guide: Whose successes are changed.
        leaf: The place of the answer.
        plans: What is flown, a seed each.
    """

    def again(session: AuditSession, tasks: Sequence[TaskOptions], flown: Survey) -> SurveyRow:
        starts = starts_of(guide, tasks, flown)
        more = [plan[name] for plan in changes(leaf, starts) if name in plan]
        return near_row(session, name, guide, leaf, more)

    turns = 1 + max((len(plan) for _, plan in plans), default=0)
    episodes = session.plans(name, plans, turns=turns)
    return SurveyRow(name, NEAR, episodes, leaf.name, again=again, needs=(guide,))


def answered(starts: Starts, leaves: Sequence[ActionField]) -> ActionField | None:
    """The place of the answer: of the texts in the last actions the longest; None where nothing is said."""

    def said(leaf: ActionField) -> int:
        return sum(len(text_of(turn, leaf)) for _, turns in starts for turn in turns[-1:])

    best = max(leaves, key=said, default=None)
    return best if best is not None and said(best) > 0 else None


def text_of(turn: Turn, leaf: ActionField) -> str:
    """What an action says in a place; empty where it says nothing there."""
    text = value_at(turn.action, leaf.name)
    return text if isinstance(text, str) else ""


def changes(leaf: ActionField, starts: Starts) -> list[Changed]:
    """Each success with its last answer changed, by the change's name."""
    ends = [text_of(turns[-1], leaf) for _, turns in starts]
    found: list[Changed] = []
    for place, (task, turns) in enumerate(starts):
        text = ends[place]
        others = [other for other in (*ends[place + 1 :], *ends[:place]) if other != text]
        *before, last = actions_of(turns)
        shown = list(texts_in(turns[0].observation))
        ways = variants(text, others, shown) if text else iter(())
        found.append({name: (task, [*before, put(last, leaf.path, other)]) for name, other in ways})
    return found


def texts_in(observation: Observation) -> Iterator[str]:
    """The texts that an observation shows at its top."""
    return (value for value in observation.values() if isinstance(value, str))


class ShownByChanges:
    """What the changes showed so far.

    Args:
        flown: The survey.
    """

    def __init__(self, flown: Survey) -> None:
        self._keys = EpisodeKeys(flown)
        self._best = self._keys.best(flown.succeeded)
        self._kept: dict[str, int] = {}

    def something(self, episodes: Sequence[Episode]) -> bool:
        """Whether one of a change's episodes shows what was not shown often enough."""
        for episode in episodes:
            told = self._told(episode)
            if told is not None and self._kept.get(told, 0) < EACH_SHOWN:
                self._kept[told] = self._kept.get(told, 0) + 1
                return True
        return False

    def _told(self, episode: Episode) -> str | None:
        """What an episode shows; None for nothing."""
        if episode.error is not None:
            return "lost"
        refused = next((turn.invalid for turn in episode.turns if turn.invalid is not None), None)
        if refused is not None:
            return f"refused: {NAMES.sub('', refused)}"
        best = self._best.get(self._keys.of(episode) or "")
        if best is None or episode.success is None:
            return None
        if not episode.success:
            return "accepted" if as_much(total(episode), total(best)) else None
        return None if as_much(total(episode), total(best)) else "unpaid"


def as_much(one: float, other: float) -> bool:
    """Whether one return is the other or more, but for a rounding error."""
    return one >= other - ROUNDING * max(1.0, abs(other))


@dataclass(frozen=True, slots=True)
class Unpaid:
    """A success that is paid no more than a failure of the same length on the same seed.

    Attributes:
        row: Whose it is.
        success: It.
        failure: The failure.
        who: Name of who failed.
        best: The best success there.
    """

    row: SurveyRow
    success: Episode
    failure: Episode
    who: str
    best: Episode

    @property
    def lost(self) -> float:
        """How much less it earns than the other success."""
        return total(self.best) - total(self.success)


def unpaid(flown: Survey) -> Unpaid | None:
    """The success of a changed answer that loses most; None where each is paid for being one.

    A success may well earn less than another one, in more steps or with less care: only one that earns less than half
    of it, and no more than a failure in as many steps, is refused.
    """
    keys = EpisodeKeys(flown)
    best = keys.best(flown.succeeded)
    failed = keys.grouped(episode for episode in flown.failed if not episode.invalid_count)
    names = {id(episode): row.name for row in reversed(flown.rows) for episode in row.failed}
    found = []
    for row in flown.of_kind(NEAR):
        for episode in row.succeeded:
            if (key := keys.of(episode)) is None:
                continue
            most, alike = total(best[key]), len(episode.turns)
            others = [e for e in failed.get(key, []) if len(e.turns) == alike]
            failure = max(others, key=total, default=None)
            # Where a success only costs less, a longer one may well cost twice as much.
            if failure is None or most <= 0 or total(episode) > HALF * most:
                continue
            if total(failure) >= total(episode) and most > total(failure):
                found.append(Unpaid(row, episode, failure, names[id(failure)], best[key]))
    return max(found, key=lambda each: each.lost, default=None)


def prove_unpaid(session: AuditSession, flown: Survey, found: Unpaid) -> Confirmed | str:
    """Fly a refused success, and the failure and the success beside it, again in a fresh process.

    Args:
        session: The fresh process.
        flown: The survey.
        found: What was flown.

    Returns:
        The finding; or why it could not be told, as a sentence.
    """
    options, judged = found.success.task, session.judged
    again = fly_witness(session, options, actions_of(found.success.turns), whole=True)
    failed = fly_witness(session, options, actions_of(found.failure.turns))
    best = fly_witness(session, options, actions_of(found.best.turns))
    told = [each is not None and each.success for each in (again, failed, best)]
    if again is None or failed is None or best is None or told != [True, False, True]:
        return f"{found.row.name}: {NOT_AGAIN}"
    if EpisodeKeys(flown).turning and len({each.opened for each in (again, failed, best)}) > 1:
        return f"{found.row.name}: {NOT_AGAIN}"  # each reset opens another episode
    if total(failed) < total(again) or total(again) > HALF * total(best):
        return f"{found.row.name}: {NOT_AGAIN}"
    said = (
        f"{found.row.name}: a success earns {total(again):g}, where {found.who} fails and earns {total(failed):g}, and "
        f"another success on the seed earns {total(best):g}"
    )
    seen = Witness.of(again)
    record = seen.record(actions_of(again.turns))
    proof = Confirmed.of(
        SUCCESS_UNPAID, flown.task, record, resting(said, judged), again, found.row.name
    )
    # Whoever gives the audit an expression answers for it; a flag of the environment may mean something else.
    return proof if judged.said_by == "given" else proof.weighing(Severity.SUSPICIOUS)


def refused_successes(session: AuditSession, flown: Survey) -> tuple[list[Confirmed], list[str]]:
    """A right answer that is refused, as a finding; and why it could not be told, as sentences.

    Args:
        session: A fresh process.
        flown: The survey.
    """
    found = unpaid(flown)
    came = None if found is None else prove_unpaid(session, flown, found)
    if isinstance(came, str):
        return [], [came]
    return ([] if came is None else [came]), []
