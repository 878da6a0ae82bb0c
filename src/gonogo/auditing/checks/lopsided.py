"""One verdict for every item of a queue: paid for all there is, or for much of it where most are of one class.

A queue is graded item by item, and what is said of one changes neither what comes next nor what that is paid. So the
constants of the panel together tell what each item would have paid for each verdict, and what a flawless episode earns,
although nobody flew one. One constant may earn half of that on nearly every seed: where most items ask for the same
verdict and a wrong one costs nothing, none of them has to be read.

Of two classes that are as common each earns half, and in many queues of the world one class is the common one. So it is
suspicious up to three fifths of the marks, and only where the items are lopsided: the best constant with any other
choice in one field earns far less. It is asked only where a queue is seen to be one: all constants see the same items
and as many, what a verdict is paid is the same in whatever order it comes, and to each item some constant gives a full
mark.

It blocks as well where one constant earns a flawless episode on every seed although the right verdict is another one
from item to item: two others, each fully paid for items for which the other one is not, show that there is something to
read. Whoever gives the one verdict for ever, such as passing each item on, reads nothing and is paid for all. A bonus
at the end may pay several verdicts together, which no constant shows. So other verdicts are sent, in several mixes,
wherever they are right: they must earn no more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from statistics import fmean

from gonogo.auditing.checks.emptied import best_everywhere
from gonogo.auditing.checks.named_items import FULL, LOPSIDED, MOST_MARKS
from gonogo.auditing.checks.paid import ALIKE, LEAST_GRADE, MOSTLY, NEARLY, NUMBER, Paid, weight
from gonogo.auditing.probes import worth
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import MIXED, Survey, SurveyRow, seed_of, total
from gonogo.auditing.suspicions import Suspicion
from gonogo.exploits.panel import OWN, Kind
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.wire import Action, TaskOptions

LEAST_ITEMS, LEAST_SEEDS = 5, 4
DIFFERENT = 3
"""So many different items have to be seen in an episode."""
LEAST_AGAIN = 8
"""Verdicts of other policies, at least, that have to be paid as the constants say."""
HALF = 0.5
"""Share of a flawless episode that one verdict earns on nearly every seed."""
READ = 0.5
"""Share of the items for which other verdicts have to be right, for the right one to change from item to item."""
MIXES: dict[str, Callable[[int, int], int]] = {
    "the first of the others": lambda place, items: 0,
    "the last of the others": lambda place, items: -1,
    "the others in turn": lambda place, items: place,
    "the others one after another": lambda place, items: -int(2 * place >= items),
}
"""Which of several other verdicts is sent for an item, by its place and how many there are."""

Queue = dict[str, list[Episode]]
"""The constants' episodes, by their seeds."""


def constants_of(facts: Paid) -> list[SurveyRow]:
    """The rows that give the same verdict to each item, and saw all items."""
    rows = [r for r in facts.rows if r.kind in {Kind.IDLE, Kind.CONSTANT} and r.action is not None]
    return [r for r in rows if all(plainly_ended(e) for e in r.ended)]


def plainly_ended(episode: Episode) -> bool:
    """Whether the environment ended an episode in which it refused nothing."""
    return not episode.cut and all(turn.invalid is None for turn in episode.turns)


def same_items(episodes: Sequence[Episode]) -> bool:
    """Whether some episodes of one seed see the same items, and as many, in one field of what is seen at least."""
    sizes = {len(e.turns) for e in episodes}
    if len(sizes) != 1 or min(sizes) < LEAST_ITEMS:
        return False
    names = episodes[0].turns[0].observation.keys() - set(OWN)
    for name in names:
        shown = [[repr(turn.observation.get(name)) for turn in e.turns] for e in episodes]
        same = all(one == shown[0] for one in shown)
        if same and len({re.sub(NUMBER, "#", said) for said in shown[0]}) >= DIFFERENT:
            return True
    return False


def flawless(episodes: Sequence[Episode]) -> float | None:
    """What an episode would earn that gives each item the verdict of the constant that is paid most for it.

    Args:
        episodes: Those of all constants on one seed.

    Returns:
        None where some item has no full mark among them.
    """
    best = [max(map(pay, turns)) for turns in zip(*(e.turns for e in episodes), strict=True)]
    full = [paid >= NEARLY * max(best) for paid in best]
    return sum(best) if max(best) > 0 and fmean(full) >= MOSTLY else None


def pay(turn: Turn) -> float:
    """What a turn is paid."""
    return turn.reward or 0.0


def judged_alone(facts: Paid, queue: Queue) -> bool:
    """Whether others are paid for a verdict at an item what the constant of that verdict is paid there."""
    known = {
        (seed, n, repr(turn.action)): pay(turn)
        for seed, episodes in queue.items()
        for e in episodes
        for n, turn in enumerate(e.turns)
    }
    again = [
        abs(known[key] - pay(turn)) <= ALIKE
        for row in facts.rows
        if row.action is None
        for e in row.ended
        if plainly_ended(e)
        for n, turn in enumerate(e.turns)
        if (key := (seed_of(e.task), n, repr(turn.action))) in known
    ]
    return len(again) >= LEAST_AGAIN and all(again)


def others_earn(row: SurveyRow, rows: Sequence[SurveyRow]) -> float | None:
    """What the best row earns that makes another choice in one field, in the field in which that is least.

    None where no other choice is known, but for such as earn nothing: to leave all items is no answer to them.
    """
    mine = row.action or {}
    known: dict[str, float] = {}
    for name in {name for r in rows for name in (r.action or {})}:
        other = [worth(r) for r in rows if (r.action or {}).get(name) != mine.get(name)]
        if other and max(other) > 0:
            known[name] = max(other)
    return min(known.values(), default=None)


def right_for_all(row: SurveyRow, rows: Sequence[SurveyRow], queue: Queue) -> Suspicion | None:
    """One verdict that is fully paid for each item, while others are so for some, and not for the same ones.

    Args:
        row: The constant that earns most.
        rows: All constants.
        queue: Their episodes.
    """
    others = [other for other in rows if changed(row, other) == 1]
    if len(others) < 2:
        return None
    right: dict[str, set[tuple[str, int]]] = {other.name: set() for other in others}
    items = 0
    for seed in queue:
        whole, mine = flawless(queue[seed]), on_seed(row, seed)
        if whole is None or whole < LEAST_GRADE or total(mine) < (1 - ALIKE) * whole:
            return None
        items += len(mine.turns)
        for other in others:
            turns = zip(on_seed(other, seed).turns, mine.turns, strict=True)
            same = {(seed, n) for n, (it, own) in enumerate(turns) if pay(it) >= pay(own) - ALIKE}
            right[other.name] |= same
    told = {name: which for name, which in right.items() if len(which) < items}
    ways = [each for each in told.values() if any(each - o and o - each for o in told.values())]
    if len(ways) < 2 or len(set().union(*ways)) < READ * items:
        return None
    witness = min(row.ended, key=total)
    said = (
        f"{row.name}: earns what a flawless episode does on each of {len(queue)} seeds. Other verdicts are right for "
        f"{len(set().union(*ways))} of {items} items, but none for all, and mixes of them earn no more: nothing has to "
        "be read"
    )
    # Who earns little of a mark an item may have missed what the rest of it is paid for.
    marks = fmean(total(e) / len(e.turns) for e in row.ended)
    whole = marks >= MOST_MARKS or abs(worth(row) - FULL) <= ALIKE
    severity = Severity.EFFORTLESS if whole else Severity.SUSPICIOUS
    return Suspicion(
        "paid_without_trying", row, witness, said, weight(severity, worth(row)), severity
    )


def mixed_rows(
    session: AuditSession, flown: Survey, tasks: Sequence[TaskOptions]
) -> Iterator[SurveyRow]:
    """Other verdicts than the one that is fully paid for each item, wherever they are right, too.

    Args:
        session: Where it is flown.
        flown: The survey, with its constants.
        tasks: Reset options.
    """
    facts = Paid(flown)
    queue, rows = queue_of(facts)
    row = max(rows, key=worth, default=None)
    known = {each.about for each in flown.of_kind(MIXED)}
    if not queue or row is None or row.name in known or right_for_all(row, rows, queue) is None:
        return
    others = [other.name for other in rows if changed(row, other) == 1]
    for mix in MIXES:
        yield mixed_row(session, tasks, flown, (row.name, *others), mix)


def mixed_row(
    session: AuditSession,
    tasks: Sequence[TaskOptions],
    flown: Survey,
    names: tuple[str, ...],
    mix: str,
) -> SurveyRow:
    """Such a row, made of what the constants were paid on the same seeds.

    Args:
        session: Where it is flown.
        tasks: Reset options.
        flown: The survey.
        names: The one verdict's row, and the others'.
        mix: Which of several other verdicts is sent, one of :data:`MIXES`.
    """

    def again(session: AuditSession, tasks: Sequence[TaskOptions], flown: Survey) -> SurveyRow:
        return mixed_row(session, tasks, flown, names, mix)

    def verdicts(task: TaskOptions) -> list[Action]:
        """What is sent on a task."""
        known = [e for row in rows for e in row.ended if seed_of(e.task) == seed_of(task)]
        items = list(zip(*(e.turns for e in known), strict=False))
        sent = []
        for place, (own, *others) in enumerate(items):
            right = [turn for turn in others if pay(turn) >= pay(own) - ALIKE] or [own]
            sent.append(right[MIXES[mix](place, len(items)) % len(right)].action or {})
        return sent

    rows = [row for each in names if (row := flown.named(each)) is not None]
    plans = [(task, plan) for task in tasks if (plan := verdicts(task))]
    called = f"{names[0]}, and {mix} where they are right"
    episodes = session.plans(called, plans)
    return SurveyRow(called, MIXED, episodes, about=names[0], again=again, needs=names)


def earn_no_more(mixed: Sequence[SurveyRow], row: SurveyRow) -> bool:
    """Whether other verdicts where they are right earn no more than the one for all, on each of enough seeds."""
    mine = {seed_of(e.task): total(e) for e in row.ended}
    for each in mixed:
        pairs = [(mine[seed], total(e)) for e in each.ended if (seed := seed_of(e.task)) in mine]
        if len(pairs) < LEAST_SEEDS or any(other > own + ALIKE for own, other in pairs):
            return False
    return len(mixed) == len(MIXES)


def changed(one: SurveyRow, other: SurveyRow) -> int:
    """In how many fields the actions of two constants differ."""
    mine, theirs = one.action or {}, other.action or {}
    return sum(mine.get(name) != theirs.get(name) for name in mine.keys() | theirs.keys())


def on_seed(row: SurveyRow, seed: str) -> Episode:
    """A row's episode on a seed."""
    return next(e for e in row.ended if seed_of(e.task) == seed)


def queue_of(facts: Paid) -> tuple[Queue, list[SurveyRow]]:
    """The constants' episodes by their seeds, and the constants; no episodes where no queue is seen."""
    rows = constants_of(facts)
    queue: Queue = {}
    for episode in (e for r in rows for e in r.ended):
        queue.setdefault(seed_of(episode.task), []).append(episode)
    queue = {seed: some for seed, some in queue.items() if len(some) == len(rows)}
    seen = len(queue) >= LEAST_SEEDS and all(map(same_items, queue.values()))
    return (queue if seen and len(rows) > 1 else {}), rows


def lopsided(facts: Paid) -> Iterator[Suspicion]:
    """One verdict that earns all of a flawless queue, or half on nearly every seed, where any other one earns far less.

    Args:
        facts: What was flown.
    """
    queue, rows = queue_of(facts)
    if not queue:
        return
    most = {seed: flawless(some) for seed, some in queue.items()}
    row = max(rows, key=worth)
    if found := right_for_all(row, rows, queue):
        mixed = [each for each in facts.survey.of_kind(MIXED) if each.about == row.name]
        if best_everywhere(row, facts.survey) and earn_no_more(mixed, row):
            yield found
        return
    pairs = [(total(e), most.get(seed_of(e.task))) for e in row.ended if seed_of(e.task) in most]
    shares = [mine / whole for mine, whole in pairs if whole is not None and whole >= LEAST_GRADE]
    other = others_earn(row, rows)
    if len(shares) < len(pairs) or max(shares) >= NEARLY or other is None:
        return
    if fmean(shares) < HALF or fmean(share >= HALF for share in shares) < MOSTLY:
        return
    if other > LOPSIDED * worth(row) or not judged_alone(facts, queue):
        return
    said = (
        f"{row.name}: earns {fmean(shares):.2f} of a flawless episode in the mean of {len(shares)} seeds, and no less "
        f"than {min(shares):.2f}; any other choice earns at most {other / worth(row):.2f} of what this one earns: most "
        "items ask for the same"
    )
    witness = min(row.ended, key=total)
    marks = fmean(total(e) / len(e.turns) for e in row.ended)
    sure = fmean(shares) >= MOST_MARKS and marks >= MOST_MARKS and facts.best_step <= FULL + ALIKE
    # A number that nobody knows may be the better part of the mark.
    sure = sure and not facts.takes_numbers
    severity = Severity.EFFORTLESS if sure else Severity.SUSPICIOUS
    # What a flawless episode earns is told by all of them, on other seeds as well.
    of_all = replace(row, needs=tuple(each.name for each in rows))
    yield Suspicion(
        "paid_without_trying", of_all, witness, said, weight(severity, worth(row)), severity
    )
