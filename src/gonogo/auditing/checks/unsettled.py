"""What its end would take back: who never ends the episode keeps it.

Where a fine is charged only by the action that ends an episode, nobody has to send it: the limit of turns ends the
episode, too, and charges nothing. So the best rows that run to that limit are flown again with such an action as the
last one. It costs nothing when it is sent at once, with nothing done; but after what these rows did it takes much of
their pay away, on most seeds, and never adds to it.

To leave may cost something in a sound game, but then it costs that at once, too; or it may forfeit all that was earned,
but then it does so after whatever work. So there has to be some paid work after which it takes nothing. And what is
left undone may be charged where an episode ends early; so it ends no earlier than the limit does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from statistics import fmean

from gonogo.auditing.checks.beginnings import Beginnings
from gonogo.auditing.checks.emptied import best_everywhere
from gonogo.auditing.checks.paid import LEAST_GRADE, Paid
from gonogo.auditing.probes import changed_row, worth
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import UNSETTLED, Survey, SurveyRow, seed_of, total
from gonogo.auditing.suspicions import EXPLAINED, Suspicion
from gonogo.exploits.witness import actions_of
from gonogo.rollouts.episodes import Episode
from gonogo.wire import Action, TaskOptions

MOST_ROWS = 4
"""Rows that are flown again."""
FIRST_PAID = 3
"""Paid turns of a row, after each of which the end is tried."""
LEAST_SEEDS, LEAST_TURNS = 4, 3
MOSTLY = 0.5
"""Share of the seeds on which the end has to cost something: on some there may be nothing to charge."""
ROUNDING = 1e-6


def unsettled_rows(
    start: Beginnings, flown: Survey, explored: Sequence[Episode] = ()
) -> Iterator[SurveyRow]:
    """The first of the best rows that an end would charge, under a name that says so, and the same with that end.

    Args:
        start: How the episodes of a row begin.
        flown: The survey.
        explored: What else was flown.
    """
    session, facts = start.session, Paid(flown)
    if any(best_everywhere(row, flown) for row in flown.of_kind(UNSETTLED) if row.about is None):
        return
    rows = (r for r in sorted(facts.rows, key=worth, reverse=True) if runs_on(r, flown))
    for row in islice(rows, MOST_ROWS):
        for end in start.looks.ends:
            kept = never_ended(session, row, end)
            settled = then_ended(session, kept, end)
            if charges(kept, settled) and may_cost_nothing(session, row, end, start.tasks):
                yield from (kept, settled)
                return


def runs_on(row: SurveyRow, flown: Survey) -> bool:
    """Whether a row earns the best that is known on each seed, for as many turns as idling lasts there."""
    last = {seed_of(e.task): len(e.turns) for e in flown.idle.ended if e.turns and e.turns[-1].done}
    return (
        len(row.ended) >= LEAST_SEEDS
        and min(map(total, row.ended)) >= LEAST_GRADE
        and all(LEAST_TURNS <= len(e.turns) == last.get(seed_of(e.task)) for e in row.ended)
        and best_everywhere(row, flown)
    )


def never_ended(session: AuditSession, row: SurveyRow, end: Action) -> SurveyRow:
    """The episodes of a row, under a name that says what was never sent.

    Args:
        session: Where it was flown.
        row: It.
        end: What would have ended them.
    """

    def again(session: AuditSession, tasks: Sequence[TaskOptions], flown: Survey) -> SurveyRow:
        assert row.again is not None
        return never_ended(session, row.again(session, tasks, flown), end)

    name = f"{row.name}, and never {end}"
    return SurveyRow(name, UNSETTLED, row.ended, again=row.again and again, needs=row.needs)


def then_ended(session: AuditSession, row: SurveyRow, end: Action) -> SurveyRow:
    """The episodes of a row with an end in place of their last action.

    Args:
        session: Where they are flown.
        row: It.
        end: The last action.
    """

    def settled(sent: Sequence[Action]) -> list[Action]:
        return [*sent[:-1], end]

    return changed_row(session, row, UNSETTLED, f"{row.name}: that as the last one", settled)


def may_cost_nothing(
    session: AuditSession, row: SurveyRow, end: Action, tasks: Sequence[TaskOptions]
) -> bool:
    """Whether an end costs nothing where nothing was done before it, and on some task nothing after some paid work.

    Whoever gives up may well forfeit all that was earned, whatever it was for.

    Args:
        session: Where it is flown.
        row: Who earns something.
        end: The last action.
        tasks: Reset options.
    """
    at_once = session.plans("an end at once", [(task, [end]) for task in tasks])
    if any(e.error is not None or total(e) < -ROUNDING for e in at_once):
        return False
    plans, kept = [], []
    for episode in row.ended:
        rewards = [turn.reward or 0.0 for turn in episode.turns]
        paid = [n for n, reward in enumerate(rewards[:-1]) if reward > 0][:FIRST_PAID]
        plans += [(episode.task, [*actions_of(episode.turns)[: n + 1], end]) for n in paid]
        kept += [sum(rewards[: n + 1]) for n in paid]
    early = session.plans("an end after some paid work", plans)
    pairs = zip(early, kept, strict=True)
    return any(e.error is None and total(e) >= pay - ROUNDING for e, pay in pairs)


def before_last(episode: Episode) -> float:
    """What an episode earned before its last action, in place of which an end is sent."""
    return sum(turn.reward or 0.0 for turn in episode.turns[:-1])


def charges(row: SurveyRow, settled: SurveyRow) -> bool:
    """Whether an end takes much of a row's pay away on most seeds, and adds to it on none.

    Args:
        row: Without the end.
        settled: With it.
    """
    mine = {seed_of(e.task): before_last(e) for e in row.ended}
    ended = [e for e in settled.ended if e.turns and e.turns[-1].done]
    pairs = [(mine[seed], total(e)) for e in ended if (seed := seed_of(e.task)) in mine]
    if len(pairs) < LEAST_SEEDS or any(less > kept + ROUNDING for kept, less in pairs):
        return False
    return fmean(less <= EXPLAINED * kept for kept, less in pairs) >= MOSTLY


def unsettled(survey: Survey) -> Iterator[Suspicion]:
    """Rows that earn the best that is known, of which their end would take much away.

    Args:
        survey: What was flown, with the rows of :func:`unsettled_rows`.
    """
    for row in (each for each in survey.of_kind(UNSETTLED) if each.about is None):
        settled = next((r for r in survey.of_kind(UNSETTLED) if r.about == row.name), None)
        if settled is None or not charges(row, settled) or not best_everywhere(row, survey):
            continue
        kept = {seed_of(e.task): total(e) for e in row.ended}
        before = {seed_of(e.task): before_last(e) for e in row.ended}
        taken = fmean(before.get(seed_of(e.task), 0.0) - total(e) for e in settled.ended)
        least = min(kept.values())
        said = (
            f"{row.name}: earns {least:g} or more on each of {len(row.ended)} seeds, the best that is known, up to the "
            f"limit of turns; that action as the last one takes {taken:g} away on average, and nothing where it is "
            "sent at once"
        )
        yield Suspicion("settlement_avoided", row, min(row.ended, key=total), said, least)
