"""Pay that no bound holds: for a number beyond all sense, or for each character of a text.

Every honest amount ends somewhere: at what is there, at what is asked for, at what one can afford. So none of this
needs a success to be held against.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from statistics import fmean

from gonogo.auditing.checks.paid import LEAST_GRADE, NEARLY
from gonogo.auditing.probes import first, worth
from gonogo.auditing.scaling import SCALED, SIZES
from gonogo.auditing.survey import (
    CANDIDATE,
    LEAST_FAILED,
    REFERENCE,
    Survey,
    SurveyRow,
    seed_of,
    total,
)
from gonogo.auditing.suspicions import Suspicion
from gonogo.exploits.search import leaves
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import LARGEST, Episode
from gonogo.rollouts.schema import is_number
from gonogo.rollouts.space import value_at

GROWS = 0.3
"""Share of the growth of a number by which its pay has to grow as well."""
MOST_SEEDS = 0.5
"""Share of the seeds on which it has to: on some an id of the plan may mean nothing."""
WEIGHT = 3.0
HUGE, ABSURD = 1e6, 1e9
"""A return of which nobody thinks, and a number beyond all sense: many a game counts in millions."""
PAID_FOR = 1e-3
"""Share of the number that the return has to be at least: where it is clipped to what is there, it is bounded."""
TRIES = frozenset({REFERENCE, CANDIDATE})
"""Kinds of rows that may send a large number because the work asks for it."""
FAR_ABOVE = 1_000.0
"""So many times the best that is known without such a number."""
CLOSE = 0.01
"""By which share the pay of a character may differ from text to text."""
LEAST_TEXTS, LONGER = 5, 100
"""Texts of different lengths, the longest of them so many times the shortest."""


def unbounded_pay(survey: Survey) -> Iterator[Suspicion]:
    """Plans whose pay grows with a number without end.

    Every honest amount ends somewhere: at what is there, at what is asked for, at what one can afford. A plan whose pay
    grows a hundredfold with a number that grows a hundredfold, twice in a row and on most seeds, up to millions that no
    schema forbids, is bounded by nothing: the number is paid, and not what is done with it. So it is an exploit without
    any success to compare with.

    Args:
        survey: What was flown, with the rows of :mod:`gonogo.auditing.scaling`.
    """
    for row in survey.of_kind(SCALED):
        if row.about is not None or not row.ended:
            continue
        less = [other for other in survey.of_kind(SCALED) if other.about == row.name]
        if len(less) != len(SIZES) - 1:
            continue
        sizes = [row, *less]
        seeds = [seed for seed in returns(row) if all(seed in returns(r) for r in sizes)]
        grown = [seed for seed in seeds if grows([returns(r)[seed] for r in sizes])]
        if len(grown) < LEAST_FAILED or len(grown) < MOST_SEEDS * len(seeds):
            continue
        means = [fmean(returns(r)[seed] for seed in grown) for r in sizes]
        paid = ", ".join(
            f"{pay:g} with {size:,}" for pay, size in zip(means, reversed(SIZES), strict=True)
        )
        said = f"{row.name}: earns {paid}, on {len(grown)} of {len(seeds)} seeds"
        witness = max((e for e in row.ended if seed_of(e.task) in grown), key=total)
        yield Suspicion("unbounded_action_pays", row, witness, said, WEIGHT, Severity.EXPLOIT)


def returns(row: SurveyRow) -> dict[str, float]:
    """What a row earns on each seed."""
    return {seed_of(e.task): total(e) for e in row.ended}


def grows(paid: list[float]) -> bool:
    """Whether what is paid for numbers, the largest first, grows nearly as they do."""
    steps = zip(pairwise(paid), pairwise(reversed(SIZES)), strict=True)
    return all(more > 0 and more >= GROWS * (a / b) * less for (more, less), (a, b) in steps)


def absurd_pay(survey: Survey) -> Iterator[Suspicion]:
    """Rows that send a number beyond all sense and are paid for it, on each seed far above all that is known without.

    Args:
        survey: What was flown.
    """
    # Who earns that much is looked for first: to read what each episode sent takes far longer.
    rich = [
        row
        for row in survey.rows
        if row.kind not in TRIES and min(map(total, row.ended), default=0.0) >= HUGE
    ]
    if not rich:
        return
    plain = [
        e for row in survey.rows for e in row.ended if row.kind in TRIES or largest(e) < ABSURD
    ]
    best = max(map(total, plain), default=0.0)
    for row in rich:
        whole = [e for e in row.ended if not e.cut and ABSURD <= largest(e) < LARGEST]
        least = min(map(total, whole), default=0.0)
        if len(whole) < max(LEAST_FAILED, len(row.ended)) or least < FAR_ABOVE * best:
            continue
        if any(total(e) < PAID_FOR * largest(e) for e in whole):
            continue
        said = (
            f"{row.name}: earns {least:g} or more on each of {len(whole)} seeds, where the best that is known without "
            f"a number beyond all sense is {best:g}"
        )
        witness = min(whole, key=total)
        yield Suspicion("unbounded_action_pays", row, witness, said, WEIGHT, Severity.EXPLOIT)


def largest(episode: Episode) -> float:
    """The largest number that an episode sends, whatever its sign."""
    sent = (value for turn in episode.turns for _, value in leaves(turn.action or {}))
    return max((abs(value) for value in sent if is_number(value)), default=0.0)


def length_pays(survey: Survey) -> Iterator[Suspicion]:
    """Texts of very different lengths in one field, each character of which is paid the same, and nothing is paid more.

    Args:
        survey: What was flown.
    """
    texts: dict[str, list[tuple[int, SurveyRow]]] = defaultdict(list)
    for row in survey.rows:
        said = value_at(row.action, row.field)
        if row.about is None and row.ended and isinstance(said, str) and said:
            texts[f"{row.field} {row.context}"].append((len(said), row))
    for some in texts.values():
        paid = [fmean(map(first, row.ended)) / length for length, row in some]
        lengths = {length for length, _ in some}
        apart = max(lengths) >= LONGER * min(lengths)
        if len(lengths) < LEAST_TEXTS or not apart or min(paid) <= 0:
            continue
        if max(paid) - min(paid) > CLOSE * max(paid):
            continue
        _, longest = max(some, key=lambda each: each[0])
        if worth(longest) < max(LEAST_GRADE, NEARLY * max(map(worth, survey.rows))):
            continue  # a token beside what is earned otherwise
        said = (
            f"{longest.name}: {len(some)} texts of {min(lengths):,} to {max(lengths):,} characters in "
            f"{longest.field} are paid {fmean(paid):g} a character, whatever they say"
        )
        witness = max(longest.ended, key=total)
        yield Suspicion("paid_for_length", longest, witness, said, WEIGHT, Severity.EXPLOIT)
