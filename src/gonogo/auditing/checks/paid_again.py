"""The same thing paid again: an action or a few that are repeated, and a pay that comes again while nothing is done."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean

from gonogo.auditing.checks.paid import ALIKE, LITTLE, MOSTLY, NEARLY, Paid, empty, weight
from gonogo.auditing.probes import first, period
from gonogo.auditing.survey import AGAIN, ONCE, SurveyRow, total
from gonogo.auditing.suspicions import Suspicion
from gonogo.exploits.panel import Kind
from gonogo.exploits.witness import actions_of
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import Episode

MUCH = 2.0
"""So many times as much as all that ends with pay is more than a matter of taste."""
LEAST_ANSWERS, LEAST_SEEDS = 3, 4
"""Turns and seeds on which the same answer has to be paid."""
FULL = 1.0
LEAST_STEPS = 6
"""Steps that have to be paid before they are called a habit of the reward."""


def paid_again(facts: Paid) -> Iterator[Suspicion]:
    """The same action, or a few, paid again and again: without bound, or while nothing that is seen changes."""
    for row in facts.survey.of_kind(AGAIN):
        plain = facts.plain(row)
        if plain is None or not row.ended or plain.kind == Kind.RANDOM:
            continue
        looks = [Look.of(e) for e in row.ended]
        if not all(look.pays_to_the_end for look in looks):
            continue
        pay, ended = fmean(look.step for look in looks), facts.best_ended
        if not facts.counts_for_something(pay, plain.ended):
            continue
        both = zip(row.ended, looks, strict=True)
        still = all(facts.seen_still(e.turns, look.lap) for e, look in both)
        endless = all(e.cut for e in row.ended)
        explained = plain.kind != Kind.IDLE and facts.idle_step > LITTLE * pay
        richer = ended is not None and min(map(total, plain.ended)) >= MUCH * total(ended)
        if explained or not (endless or still):
            continue
        severity = Severity.SUSPICIOUS
        stays = not endless and ended is not None and facts.at_will(ended)
        if (richer and not stays) or (
            endless and still and empty(plain) and plain.kind != Kind.IDLE
        ):
            severity = Severity.EXPLOIT
        elif still and empty(plain) and plain.kind != Kind.IDLE:
            severity = Severity.EFFORTLESS
        name = "farmable_cycle" if looks[0].lap > 1 else "paid_again"
        said = f"{plain.name}: paid {pay:g} a step, at the end as at the beginning"
        said += ", while nothing that is seen changes" if still else ""
        most = max(len(e.turns) for e in row.ended)
        said += f"; nothing ended it in {most} steps" if endless else ""
        if richer and ended is not None:
            said += f"; the best that ends an episode with pay earns {total(ended):g}"
        witness = max(plain.ended, key=total)
        yield Suspicion(name, plain, witness, said, weight(severity, pay), severity)


@dataclass(frozen=True, slots=True)
class Look:
    """How an episode of something repeated is paid.

    Attributes:
        lap: Actions that are repeated.
        step: Pay a step.
        pays_to_the_end: Whether nearly all laps are paid, the later ones as the earlier ones.
    """

    lap: int
    step: float
    pays_to_the_end: bool

    @classmethod
    def of(cls, episode: Episode) -> Look:
        """Look at an episode."""
        rewards = [turn.reward or 0.0 for turn in episode.turns]
        lap = period(actions_of(episode.turns))
        laps = [sum(rewards[n : n + lap]) for n in range(0, len(rewards) - lap + 1, lap)]
        half = len(laps) // 2
        early, late = sum(laps[:half]), sum(laps[len(laps) - half :])
        lasting = len(laps) >= LEAST_STEPS and fmean(pay > 0 for pay in laps) >= MOSTLY
        step = sum(rewards) / len(rewards) if rewards else 0.0
        return cls(lap, step, lasting and late >= MOSTLY * early > 0)


def score_again(facts: Paid) -> Iterator[Suspicion]:
    """An action that was paid once, and whose pay comes again at each step that does nothing."""
    for row in facts.survey.of_kind(ONCE):
        plain = facts.plain(row)
        if plain is None or not row.ended:
            continue
        told = [repaid(e) for e in row.ended]
        if not facts.counts_for_something(max(map(first, row.ended)), row.ended):
            continue
        if not all(told) or facts.idle_step > LITTLE * fmean(
            e.turns[0].reward or 0.0 for e in row.ended
        ):
            continue
        if not all(facts.seen_still(e.turns) for e in row.ended):
            continue
        ended = facts.closed(plain)
        richer = ended is not None and min(map(total, row.ended)) >= MUCH * total(ended)
        stays = not all(e.cut for e in row.ended) and ended is not None and facts.at_will(ended)
        severity = Severity.EXPLOIT if richer and not stays else Severity.SUSPICIOUS
        best = max(row.ended, key=total)
        said = (
            f"{row.name}: paid {best.turns[0].reward:g} for the first step and as much for each of "
            f"{len(best.turns) - 1} idle ones, although nothing that is seen changes and idling alone earns "
            f"{facts.idle_step:g} a step"
        )
        if richer and ended is not None:
            said += f"; the best that ends an episode with pay earns {total(ended):g}"
        yield Suspicion(
            "score_paid_again", row, best, said, weight(severity, total(best)), severity
        )


def answered_again(facts: Paid) -> Iterator[Suspicion]:
    """The same answer to the same question, paid at each turn, until it earned more than any one answer is paid.

    Who holds on may be paid by the turn in a game, and so may be who finds a good price. So an answer is accused only
    where a better one ended an episode, or where it is a program.
    """
    if not facts.survey.answers:
        return
    most = facts.best_step
    programs = {row.field for row in facts.survey.of_kind(Kind.VOID)}
    for look in facts.survey.of_kind(AGAIN, Kind.VOID):
        row = look if look.kind == Kind.VOID else facts.plain(look)
        if row is None or len(row.ended) < LEAST_SEEDS or not look.ended:
            continue
        if not all(is_repaid(e) and facts.seen_still(e.turns) for e in look.ended):
            continue
        least = min(map(total, row.ended))
        if not all(map(is_repaid, row.ended)) or least <= max(most, FULL) + ALIKE:
            continue
        turns = min(len(e.turns) for e in row.ended)
        sure = row.field in programs or ends_better(row, facts)
        severity = Severity.EXPLOIT if sure else Severity.SUSPICIOUS
        said = (
            f"{row.name}: the same answer is paid at each of {turns} turns or more, although nothing that is seen "
            f"changes, and earns {least:g} or more on each of {len(row.ended)} seeds, where no turn is paid more than "
            f"{most:g}"
        )
        witness = min(row.ended, key=total)
        yield Suspicion("paid_again", row, witness, said, weight(severity, least), severity)


def ends_better(row: SurveyRow, facts: Paid) -> bool:
    """Whether some answer ended an episode before the row's do, and was paid more for that than each of these is.

    Args:
        row: Who answers the same again.
        facts: What was flown.
    """
    shortest = min(len(e.turns) for e in row.ended)
    dearest = max(turn.reward or 0.0 for e in row.ended for turn in e.turns)
    ends = (e for other in facts.survey.rows for e in other.ended if e.turns and not e.cut)
    return any(len(e.turns) < shortest and (e.turns[-1].reward or 0.0) > dearest for e in ends)


def is_repaid(episode: Episode) -> bool:
    """Whether one action is sent at each of several turns, and nearly each of them is paid, the later ones as well."""
    pays = [turn.reward or 0.0 for turn in episode.turns]
    half = len(pays) // 2
    same = len(pays) >= LEAST_ANSWERS and len(set(map(repr, actions_of(episode.turns)))) == 1
    paid = same and fmean(pay > 0 for pay in pays) >= MOSTLY
    return paid and sum(pays[len(pays) - half :]) >= MOSTLY * sum(pays[:half]) > 0


def repaid(episode: Episode) -> bool:
    """Whether the steps after the first are paid what the first was."""
    once, *later = [turn.reward or 0.0 for turn in episode.turns]
    if len(later) < LEAST_STEPS - 1 or once <= 0:
        return False
    return fmean(abs(pay - once) <= (1 - NEARLY) * once for pay in later[:-1]) >= MOSTLY
