"""What does not try and is nearly right for every item: a score that measures likeness, and has no base line.

A score may be how like an answer is to a hidden one: by its characters, by the relative error of its numbers, by the
squared error of its odds. Measured from nothing, it gives much to whatever is of the right kind: the input as it came
in, the day before's numbers, the same odds for each case. So where somebody earns nearly a full mark and reads nothing,
what has to be done is worth the little that is left.

What is right earns just a full mark, and who is lucky earns it for one item and nothing for another. A likeness earns
nearly all of each item, and never all: how much differs from item to item and from seed to seed. This needs no success.
A full mark is what the documentation says is paid at most, if nobody earned more; or 1, where somebody earned it, or
where the turns have equal shares of it. Whether words alone are enough depends on what is sent:

* **A copy, or a text that says nothing**, decides nothing. Where a copy is what is asked for, each is paid in full, or
  less by the same on each seed. So whatever else it earns of what is said to be all is earned by the world's inertia,
  or by the words that any text shares, which a sound score takes as its zero. Here words are enough.
* **A constant** is a decision. Of orders for a demand that nobody knows the best single one earns nearly all that can
  be earned, and the words name a mark that nobody reaches. So somebody has to earn all of it, or the turns have to
  have equal shares of one. The same holds of a filling that gives each thing its share, which is never more than
  suspicious: where it is worth most of a mark on each seed, it is called a constant (:mod:`filled_rows`).

Where the same seed gives different episodes, none is held against another for its seed, and all is only suspicious.

Two kinds of sound games pay alike, and are told apart:

* **Who holds on is paid by the turn.** So no episode that ends by itself may be shorter. And where the first half of an
  episode is played otherwise, the second half has to be paid as before: no state of the world was kept or lost.
* **One action that is right all the time**, as work for a wage. So whoever does not copy has to be outdone: for some
  items, on different seeds, another policy has to earn more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gonogo.auditing.checks.lopsided import pay, plainly_ended
from gonogo.auditing.checks.paid import ALIKE, Paid, empty, weight
from gonogo.auditing.probes import worth
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import LATER, Survey, SurveyRow, seed_of, total
from gonogo.auditing.suspicions import Suspicion
from gonogo.contract.documented_pay import DocumentedSentence
from gonogo.exploits.panel import Kind
from gonogo.exploits.witness import actions_of
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import Episode
from gonogo.wire import Action, TaskOptions

MEAN, LEAST, ALL = 0.8, 0.7, 0.98
"""Shares of a full mark that a likeness earns: in the mean, no less on any seed, and less than what a score that stops
just below 1 has for all."""
OF_AN_ITEM = 0.5
"""Share of its mark that each item has to earn: a right verdict earns all, and a wrong one nothing."""
REACHED = 0.95
"""Share of a turn's mark that somebody has to earn where nobody says what it is."""
ROUNDED = 0.001
"""By which share more may be paid than a mark or its equal share: shares are rounded, and so is their sum."""
LEAST_SEEDS, LEAST_VALUES = 4, 3
"""Seeds on which it has to be so, and different pays among them: a fixed cost leaves the same of a right answer."""
OUTDONE = 2
"""Seeds on which somebody else has to earn more for an item."""
SHARES = 3
"""Turns from which on equal shares of 1 are seen to be such."""
OTHERWISE = 0.1
"""Share of its mark by which each item of another beginning has to be paid otherwise."""
PLAINER = 0.95
"""Share of a row's pay that what says nothing in the same field has to earn to be the plainer witness."""
MOST_LATER = 3
"""Rows that are flown after another beginning."""
NAMES: dict[str, str] = {
    Kind.IDLE: "paid_without_trying",
    Kind.NONSENSE: "paid_without_trying",
    Kind.CLAIM: "paid_without_trying",
    Kind.LENGTH: "paid_without_trying",
    Kind.CONSTANT: "paid_without_trying",
    Kind.BLANK: "paid_without_trying",
    Kind.RANDOM: "paid_without_trying",
    Kind.WORDS: "keywords_pay",
    Kind.ECHO: "observation_echo_pays",
    Kind.GUESS: "observation_echo_pays",
    Kind.FILLING: "paid_without_trying",
}
"""Kinds of rows that do not try, by the finding that their pay is."""
COPIES = frozenset({Kind.ECHO, Kind.GUESS})
"""Kinds of rows that send what they were shown, so that it is another thing for each item."""
DECIDED = frozenset({Kind.IDLE, Kind.CONSTANT, Kind.BLANK, Kind.RANDOM, Kind.FILLING})
"""Kinds of rows that may be a decision: the words for a mark are not enough."""


@dataclass(frozen=True, slots=True)
class FullMark:
    """What an episode is worth at most.

    Attributes:
        whole: That.
        item: What each item is worth at most: an equal share of it.
        earned: Whether somebody earned it.
        shared: Whether turns are seen to be worth equal shares of it.
        said: The sentence that says so; None without one.
    """

    whole: float
    item: float
    earned: bool
    shared: bool
    said: DocumentedSentence | None = None

    @property
    def known(self) -> bool:
        """Whether it is written somewhere, was earned, or is seen in equal shares."""
        return self.earned or self.shared or self.said is not None

    def __str__(self) -> str:
        """For a reader."""
        return f"{self.whole:g}" + (f" ({self.said})" if self.said is not None else "")


def marks(episode: Episode) -> list[float]:
    """What each item was paid: each turn, or all of them, where only the last one is paid for all."""
    pays = [pay(turn) for turn in episode.turns]
    return pays if any(pays[:-1]) else pays[-1:]


def mark_nearly_earned(row: SurveyRow, facts: Paid) -> FullMark | None:
    """The full mark of which a row earns nearly all on each seed, and never all; None where it is none.

    Args:
        row: It.
        facts: What was flown.
    """
    sizes = {len(marks(e)) for e in row.ended}
    if len(sizes) != 1 or 0 in sizes or len(row.ended) < LEAST_SEEDS:
        return None
    if not all(map(plainly_ended, row.ended)):
        return None
    size = sizes.pop()
    told = facts.survey.documented.full_marks
    written = [(mark * times, each) for mark, each in told for times in (1, size)]
    for whole, said in [*written, (1.0, None), (float(size), None)]:
        item = whole / size
        fits = facts.most <= whole * (1 + ROUNDED) and facts.best_step <= item * (1 + ROUNDED)
        if fits and is_nearly(row, whole, item):
            shares = size >= SHARES and abs(whole - 1) <= ALIKE
            shares = shares and facts.best_step >= REACHED * item
            return FullMark(whole, item, facts.most >= ALL * whole, shares, said)
    return None


def is_nearly(row: SurveyRow, whole: float, item: float) -> bool:
    """Whether a row earns nearly all of a mark on each seed and never all, and much of it for each item.

    Args:
        row: It.
        whole: The mark.
        item: What an item is worth at most.
    """
    nearly = all(LEAST * whole <= total(e) < ALL * whole for e in row.ended)
    nearly = nearly and worth(row) >= MEAN * whole
    return nearly and all(paid >= OF_AN_ITEM * item for e in row.ended for paid in marks(e))


def varies(row: SurveyRow) -> bool:
    """Whether an item of the same place is paid otherwise on different seeds, which no fixed cost of a right one is."""
    items = zip(*map(marks, row.ended), strict=True)
    return any(len({round(paid, 6) for paid in each}) >= LEAST_VALUES for each in items)


def outdone(row: SurveyRow, facts: Paid) -> bool:
    """Whether others earn more for an item on several seeds, so that the row is not what is right for it.

    Items are known by their turn: only episodes of as many turns are held against each other.

    Args:
        row: It.
        facts: What was flown.
    """
    mine = facts.keys.last(row.ended)
    seeds: set[str] = set()
    for episode in (e for other in facts.rows if other.name != row.name for e in other.ended):
        own = mine.get(facts.keys.of(episode) or "")
        if own is None or len(own.turns) != len(episode.turns) or not plainly_ended(episode):
            continue
        both = zip(episode.turns, own.turns, strict=True)
        if any(pay(one) > pay(other) * (1 + ALIKE) + ALIKE for one, other in both):
            seeds.add(seed_of(episode.task))
    return len(seeds) >= OUTDONE


def is_apart(row: SurveyRow) -> bool:
    """Whether each turn of a row's episodes is an item: what is paid at the end alone may be for all that was done."""
    return all(len(marks(e)) == len(e.turns) for e in row.ended)


def holds_on(row: SurveyRow, facts: Paid) -> bool:
    """Whether some episode ended by itself before the row's do, so that these may be paid for lasting."""
    size = len(row.ended[0].turns)
    ended = (e for other in facts.rows for e in other.ended if plainly_ended(e))
    return len(marks(row.ended[0])) > 1 and any(len(e.turns) < size for e in ended)


def is_plainest(row: SurveyRow, facts: Paid) -> bool:
    """Whether neither idling nor what says nothing in the same field is paid as well."""
    others = [] if empty(row) else [facts.survey.idle, *facts.blank(row)]
    return not any(worth(other) >= PLAINER * worth(row) for other in others if other is not row)


def likenesses(facts: Paid) -> list[tuple[SurveyRow, FullMark]]:
    """The rows that are nearly right for each item, with the full mark of it; the best paid first.

    Args:
        facts: What was flown.
    """
    found = []
    for row in facts.rows:
        if row.kind not in NAMES or (mark := mark_nearly_earned(row, facts)) is None:
            continue
        wrong = varies(row) if row.kind in COPIES else is_apart(row) and outdone(row, facts)
        if wrong and facts.several and not holds_on(row, facts) and is_plainest(row, facts):
            found.append((row, mark))
    return sorted(found, key=lambda each: -worth(each[0]))


def later_rows(session: AuditSession, flown: Survey) -> list[SurveyRow]:
    """The second halves of what is nearly right, after another policy's first halves; none flown before.

    Args:
        session: Where.
        flown: The survey.
    """
    facts, made = Paid(flown), []
    if facts.keys.turning:
        return []  # what is sent again would meet other items
    known = {row.about for row in flown.of_kind(LATER)}
    for row, mark in likenesses(facts)[:MOST_LATER]:
        other = worst_beside(row, facts, mark)
        if row.name not in known and other is not None:
            made.append(later_row(session, row, other))
    return made


def worst_beside(row: SurveyRow, facts: Paid, mark: FullMark) -> SurveyRow | None:
    """The row that earns least in as many turns on the same seeds, each of the first half paid otherwise.

    Args:
        row: What is nearly right.
        facts: What was flown.
        mark: Of all.
    """
    size = len(row.ended[0].turns)
    mine = facts.keys.last(row.ended)

    def begins_otherwise(episode: Episode) -> bool:
        own = mine.get(facts.keys.of(episode) or "")
        if own is None or len(episode.turns) != size or not plainly_ended(episode):
            return False
        both = list(zip(episode.turns, own.turns, strict=True))[: size // 2]
        return all(abs(pay(a) - pay(b)) > OTHERWISE * mark.item for a, b in both)

    others = [
        other
        for other in facts.rows
        if other.name != row.name and other.again is not None and len(other.ended) >= LEAST_SEEDS
        if all(map(begins_otherwise, other.ended))
    ]
    return min(others, key=worth, default=None) if len(marks(row.ended[0])) > 1 else None


def later_row(session: AuditSession, row: SurveyRow, other: SurveyRow) -> SurveyRow:
    """The second half of a row after another one's first half.

    Args:
        session: Where it is flown.
        row: What is nearly right.
        other: The other one.
    """

    def again(session: AuditSession, _: Sequence[TaskOptions], flown: Survey) -> SurveyRow:
        pair = [flown.named(each.name) or replace(each, episodes=[]) for each in (row, other)]
        return later_row(session, *pair)

    begun = {seed_of(e.task): e for e in other.ended}
    plans: list[tuple[TaskOptions, list[Action]]] = []
    for episode in row.ended:
        first, half = begun.get(seed_of(episode.task)), len(episode.turns) // 2
        if first is not None:
            sent = [*actions_of(first.turns[:half]), *actions_of(episode.turns[half:])]
            plans.append((episode.task, sent))
    name = f"{row.name}, after {other.name}"
    made = SurveyRow(name, LATER, session.plans(name, plans), row.field, about=row.name)
    return replace(made, again=again, needs=(other.name, row.name))


def is_item_by_item(row: SurveyRow, facts: Paid) -> bool:
    """Whether the second half of each episode is paid the same after another beginning; true of a single turn.

    Args:
        row: What is nearly right.
        facts: What was flown, with the rows of :func:`later_rows`.
    """
    mine = facts.keys.last(row.ended)
    half = len(row.ended[0].turns) // 2
    if len(marks(row.ended[0])) == 1:
        return True
    later = [e for r in facts.survey.of_kind(LATER) if r.about == row.name for e in r.ended]
    both = [(e, mine[key]) for e in later if (key := facts.keys.of(e)) in mine]
    return len(both) >= LEAST_SEEDS and all(
        [round(pay(turn), 6) for turn in one.turns[half:]]
        == [round(pay(turn), 6) for turn in other.turns[half:]]
        for one, other in both
    )


def is_sure(row: SurveyRow, mark: FullMark, facts: Paid) -> bool:
    """Whether a likeness is proven: its mark stands, and what is asked for is another thing.

    The best single order for an unknown demand is nearly all that can be earned, on a lucky day the whole share of that
    day: of what may be a decision, somebody has to earn the whole mark. And who is asked to say what was shown again,
    over a line that swallows words, copies it rightly.

    Args:
        row: What is nearly right.
        mark: Of all.
        facts: What was flown.
    """
    if facts.survey.drawn or row.kind == Kind.FILLING:
        return False
    if row.kind in DECIDED:
        return mark.earned
    return mark.known and not (row.kind in COPIES and facts.survey.documented.repeated)


def nearly_full(facts: Paid) -> Iterator[Suspicion]:
    """What does not try and earns nearly a full mark of each item, and all of it of none of the seeds.

    Args:
        facts: What was flown, with the rows of :func:`later_rows`.
    """
    for row, mark in likenesses(facts):
        if not is_item_by_item(row, facts):
            continue
        least, items = min(map(total, row.ended)), len(marks(row.ended[0]))
        each = "" if items == 1 else f", with most of the share of each of its {items} turns"
        said = (
            f"{row.name}: earns at least {least:g} on each of {len(row.ended)} seeds{each}, and on none the full mark "
            f"of {mark}. The grade pays likeness to the right answer from zero on: most of it is earned without the "
            "work, which adds only the rest"
        )
        severity = Severity.EFFORTLESS if is_sure(row, mark, facts) else Severity.SUSPICIOUS
        witness = min(row.ended, key=total)
        worthy = weight(severity, worth(row)) + (0.5 if empty(row) else 0.0)
        yield Suspicion(NAMES[row.kind], row, witness, said, worthy, severity)
