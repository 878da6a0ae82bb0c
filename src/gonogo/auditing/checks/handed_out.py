"""Answers that are handed out, also where nobody is known to succeed.

:mod:`gonogo.auditing.checks.leakage` asks later whether a copy of any value is the answer. This asks early, of the few
values that are told beside the task, and it can send a choice that only holds the value among its words.

Some values are told beside the task: the state and the metadata are no part of it, and what is called the truth or the
expected answer is none that an agent should see before it answers. Each such value is sent back in the field that it
fits: the value, or the one choice whose words hold it, as ``mark_spam`` holds ``spam``. A value of the observation is
copied anew at every turn, one of the state or metadata after the reset. Of hidden lists and mappings the entries that
stand out are sent, see :mod:`gonogo.auditing.checks.outliers`. Each stands alone, and beside each choice of one other
field, as ``repair`` may be that makes an answer of the name of a pipe. What has to be taken apart or put together
first is left to :mod:`gonogo.auditing.checks.handed_parts`, lists of actions to
:mod:`gonogo.auditing.checks.shown_in_order`.

It is an answer if all of this holds: the copy earns the best that is known on nearly every seed, all that does not
look earns far less, and so does the copy of another case's value. A value that is merely shown in other words is left
out: one that the observation's texts tell, or that goes one to one with another value of the observation. A value that
is shown by a name that promises nothing may be what the task asks to be copied, so it is not tried. Of an entry that
stands out more is asked: another entry of the same list or mapping earns far less as well, and so does whoever copies
what is seen; and the first action earns it all, since a hint at the next step is what any policy sees that looks.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from statistics import fmean
from typing import Generic, Protocol, TypeVar

from gonogo.auditing.checks.beginnings import Beginnings
from gonogo.auditing.checks.outliers import groups_of, hidden_outliers, single_out, words_of
from gonogo.auditing.checks.paid import LEAST_GRADE, NEARLY
from gonogo.auditing.checks.told_values import Filling, Fit, ToldValue, holds
from gonogo.auditing.resets import Opening, Values, inside, is_seen, key_of, next_other, values_of
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import (
    REFERENCE,
    Survey,
    SurveyRow,
    fly_habit,
    foremost,
    guide_rows,
    seed_of,
    succeeded,
    total,
)
from gonogo.auditing.suspicions import EXPLAINED, MOSTLY, NOT_TRYING, Suspicion
from gonogo.exploits.crossings import named, single_choices
from gonogo.exploits.panel import Habit, Kind
from gonogo.exploits.witness import actions_of
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import EACH, ActionField, Space
from gonogo.rollouts.types import View
from gonogo.wire import Action, JsonValue, TaskOptions

HANDED, PERHAPS, STANDS_OUT = "handed out", "perhaps handed out", "handed out as what stands out"
"""Kinds of rows: of a copy, of one whose name may promise nothing, and of an entry that stands out among others."""
SHIFTED = "handed out to another"
"""Kind of the rows that send another case's value, or another entry."""
COPIES = (HANDED, PERHAPS, STANDS_OUT)
READERS = frozenset(
    {
        Kind.ECHO,
        Kind.OBEY,
        Kind.GUESS,
        Kind.FILLING,
        Kind.SHOTGUN,
        Kind.EMPTYING,
        Kind.SWEEP,
    }
)
"""Kinds of habits that may send what they saw."""
BLIND = NOT_TRYING - READERS
MOST_COPIES, SCREENED = 24, 2
"""Copies that are flown, and seeds on which one has to earn the best before it is flown on all."""
LEAST_EPISODES = 4
LEAST_BLIND = 3
"""Policies that do not look, with which a copy has to be compared."""
TRUTHS = frozenset({"truth", "groundtruth", "gold", "oracle", "solution"})
TELLING = frozenset({"expected", "correct", "true", "right", "ideal", "reference", "hidden"})
ANSWERS = frozenset({
    "answer", "action", "decision", "label", "response", "output", "class", "category", "choice", "priority", "verdict",
    "intent", "risk", "severity", "move", "result", "key", "value",
})  # fmt: skip
"""Words of names: the first promise the answer alone, the others only together, as in ``expected_answer``."""
SURE = frozenset({"truth", "groundtruth", "answer", "label", "expected", "correct", "hidden"})
"""Words of which one has to be there: gold is a metal, too, a solution a liquid, and the right key a hand's."""


def names_answer(path: str) -> bool:
    """Whether the last name of a path says that the answer stands there."""
    said = words_of(path.rpartition(".")[2])
    return bool(TRUTHS & set(said)) or bool(
        (said and said[0] in TELLING and ANSWERS & set(said[1:])) or said == ["answer", "key"]
    )


@dataclass(frozen=True, slots=True)
class Handed:
    """A value that is sent back as the answer.

    Attributes:
        told: The value.
        fit: What is sent for it.
        beside: The choices of other fields that stand beside it; empty where all others are idle's.
    """

    told: ToldValue
    fit: Filling
    beside: str = ""

    @property
    def name(self) -> str:
        """For tables and records."""
        beside = f" beside {self.beside}" if self.beside else ""
        return f"{self.fit.name}: {self.told.path} sent back{beside}"

    @property
    def context(self) -> Action | None:
        """What stands beside the value, where that is another than idle's."""
        return self.fit.base if self.beside else None

    def action(self, value: JsonValue, idle: Action) -> Action:
        """What is sent for a value; idle where it fits nothing."""
        made = self.fit.action(value)
        return idle if made is None else made

    def row(self, session: AuditSession, tasks: Sequence[TaskOptions]) -> SurveyRow:
        """The copy, flown: at each turn anew where the agent sees it, else what the reset tells."""
        if self.told.source or not is_seen(self.told.path):
            return self.kept(self._told_at_resets(session, tasks))
        idle = session.space.idle()

        def choose(view: View, last: Action | None) -> Action:
            return self.action(self.told.among(inside(view.observation)), idle)

        habit = Habit(self.name, Kind.ECHO, choose, self.fit.name, context=self.context)
        return self.kept(fly_habit(session, habit, tasks))

    def _told_at_resets(
        self, session: AuditSession, tasks: Sequence[TaskOptions], *, other: bool = False
    ) -> SurveyRow:
        """The value that each reset tells, sent back; or another entry of the same list or mapping."""
        idle, said = (
            session.space.idle(),
            f"{self.name}, with another entry" if other else self.name,
        )
        plans = [
            (opening.task, [self.action(self._value(opening, other=other), idle)])
            for opening in session.openings(tasks)
            if opening is not None
        ]
        episodes = session.plans(said, plans)
        return SurveyRow(said, HANDED, episodes, self.fit.name, context=self.context)

    def _value(self, opening: Opening, *, other: bool) -> JsonValue:
        """What a reset tells; None where it does not."""
        if not self.told.source:
            return self.told.among(values_of(opening))
        value = values_of(opening).get(self.told.source)
        found = single_out(self.told.source, value, groups_of(opening.observation))
        one = next((each for each in found if each.said == self.told.path), None)
        return None if one is None else one.another if other else one.name

    def kept(self, row: SurveyRow) -> SurveyRow:
        """The row as one of what is handed out, which is flown so again."""

        def again(session: AuditSession, tasks: Sequence[TaskOptions], _: Survey) -> SurveyRow:
            return self.row(session, tasks)

        path = self.told.path
        sure = not is_seen(path) or SURE & set(words_of(path.rpartition(".")[2]))
        kind = STANDS_OUT if self.told.source else HANDED if sure else PERHAPS
        return replace(row, kind=kind, again=again)

    def other_entries(
        self, session: AuditSession, tasks: Sequence[TaskOptions]
    ) -> Iterator[SurveyRow]:
        """The row of another entry of the same list or mapping: which one is sent has to matter, not that it is one."""

        def again(session: AuditSession, tasks: Sequence[TaskOptions], _: Survey) -> SurveyRow:
            return next(self.other_entries(session, tasks))

        if self.told.source:
            row = self._told_at_resets(session, tasks, other=True)
            yield replace(row, kind=SHIFTED, about=self.name, again=again)


def handed_rows(
    start: Beginnings, flown: Survey, explored: Sequence[Episode] = ()
) -> Iterator[SurveyRow]:
    """Rows that send back what is told beside the task, each that does well with those that send something else.

    Each copy flies one seed after another, as long as it earns the best that is known there. Where the survey does not
    hold what one has to be compared with, that is flown first.

    Args:
        start: How the episodes of a row begin.
        flown: The survey.
        explored: What else was flown.
    """
    chosen = list(islice(copies(start, flown), MOST_COPIES))
    yield from proven_rows(start, flown, explored, chosen)


def proven_rows(
    start: Beginnings, flown: Survey, explored: Sequence[Episode], chosen: Sequence[Handed]
) -> Iterator[SurveyRow]:
    """The rows of some copies, as :func:`handed_rows` has them.

    Args:
        start: How the episodes of a row begin.
        flown: The survey.
        explored: What else was flown.
        chosen: The copies.
    """
    start.session.part.expect(len(chosen))
    for each in best_copies(start, flown, explored, chosen):
        if isinstance(each, SurveyRow):
            yield each
            continue
        copy, row = each.copy, each.row
        well = does_best(row, each.known, explored) and does_well(row, each.known)
        if well and copy.told.source:
            well = answers_at_once(row)
        if well:
            yield from copy.other_entries(start.session, start.tasks)
        yield row
        if well:
            yield shifted(start.session, row)


class Copied(Protocol):
    """A value that is told, and that can be sent back."""

    def row(self, session: AuditSession, tasks: Sequence[TaskOptions]) -> SurveyRow:
        """Fly it."""


CopyT = TypeVar("CopyT", bound=Copied)


@dataclass(frozen=True, slots=True)
class BestCopy(Generic[CopyT]):
    """A copy that earns the best that is known on the first tasks.

    Attributes:
        copy: The copy.
        row: Its row on all tasks.
        known: The survey, with what the row has to be compared with.
    """

    copy: CopyT
    row: SurveyRow
    known: Survey


def best_copies(
    start: Beginnings, flown: Survey, explored: Sequence[Episode], copies: Iterable[CopyT]
) -> Iterator[SurveyRow | BestCopy[CopyT]]:
    """The copies that earn the best that is known, each after the rows that it has to be compared with.

    Args:
        start: How the episodes of a row begin.
        flown: The survey.
        explored: What else was flown.
        copies: What may be sent back.
    """
    session, tasks, known = start.session, start.tasks, flown
    for copy in copies:
        row = screened(partial(copy.row, session), tasks, known, explored)
        if row is None:
            continue
        for other in compared(session, known, tasks):
            known = known.having(other)
            yield other
        yield BestCopy(copy, row.on(copy.row(session, tasks[SCREENED:])), known)


def screened(
    fly: Callable[[Sequence[TaskOptions]], SurveyRow],
    tasks: Sequence[TaskOptions],
    known: Survey,
    explored: Sequence[Episode],
) -> SurveyRow | None:
    """A row on the first tasks, flown one after another; None where it does not earn the best that is known.

    Args:
        fly: Flies the row on some tasks.
        tasks: Reset options of the whole row.
        known: The survey.
        explored: What else was flown.
    """
    row = fly(tasks[:1])
    for task in tasks[1:SCREENED]:
        row = row.on(fly([task])) if does_best(row, known, explored) else row
    return row if len(row.episodes) >= SCREENED and does_best(row, known, explored) else None


def compared(
    session: AuditSession,
    flown: Survey,
    tasks: Sequence[TaskOptions],
    least: int = LEAST_BLIND,
) -> Iterator[SurveyRow]:
    """What a copy has to be compared with, where the survey lacks it: who is meant to succeed, some who do not look.

    Args:
        session: Where.
        flown: The survey.
        tasks: Reset options.
        least: Policies that do not look, of which so many have to be there.
    """
    if not flown.of_kind(REFERENCE):
        yield from guide_rows(session, tasks)
    lacking = least - len(blind_rows(flown))
    blind = [h for h in foremost(session.panel()) if h.kind in BLIND and h.kind != Kind.IDLE]
    habits = [habit for habit in blind if flown.named(habit.name) is None]
    for habit in habits[: max(0, lacking)]:
        yield fly_habit(session, habit, tasks)


def copies(start: Beginnings, flown: Survey) -> Iterator[Handed]:
    """What is told beside the task and fits a field, or is the only item of a list that does.

    Each stands alone, and then beside each choice of the other fields.

    Those come first whose names promise the answer, then those that differ most from seed to seed. Each stands beside a
    further choice whenever the next value is sent for the first time.
    """
    told = [*seen_values(flown), *hidden_values(start.openings, start.dropped)]
    space, known = start.session.space, start.session.values
    fitted = [
        (len({key_of(fit.sent(value)) for value in each.values}), each, fit)
        for each in told
        for leaf in space.leaves()
        if EACH not in leaf.path[:-1]
        for fit in [fitting(each, leaf, known.get(leaf.name, ()))]
        if fit is not None
    ]
    fitted.sort(key=lambda fit: (not names_answer(fit[1].source or fit[1].path), -fit[0]))
    ways = [beside_choices(each, fit, space) for differ, each, fit in fitted if differ > 1]
    yield from distinct(diagonal(ways))


def distinct(copies: Iterable[Handed]) -> Iterator[Handed]:
    """Those that send something else than the ones before them."""
    sent: set[str] = set()
    for copy in copies:
        actions = [copy.action(value, {}) for value in copy.told.values]
        if (key := json.dumps(actions, sort_keys=True)) not in sent:
            sent.add(key)
            yield copy


def diagonal(ways: Iterable[Iterator[Handed]]) -> Iterator[Handed]:
    """The first of all first, then the second of the first and the first of the second, and so on."""
    begun: list[Iterator[Handed]] = []
    rest = iter(ways)
    while True:
        begun += islice(rest, 1)
        some = [copy for way in begun for copy in islice(way, 1)]
        if not some:
            return
        yield from some


def fitting(told: ToldValue, leaf: ActionField, known: Sequence[JsonValue]) -> Fit | None:
    """What a field takes of a value at every seed; None where it does not.

    A text of any kind fits a field for any text: only its name tells such a value apart, or that it stands out.
    """
    fit, anything = Fit.of(leaf, known), Fit.of(leaf, ())
    ways = [fit] if fit.choices or told.source or names_answer(told.path) else []
    ways += [anything] if told.source else []
    values = [value for value in told.values if value is not None]
    return next((way for way in ways if all(way.sent(v) is not None for v in values)), None)


def beside_choices(told: ToldValue, fit: Filling, space: Space) -> Iterator[Handed]:
    """A copy with all other fields as in idle, then beside each choice of another."""
    yield Handed(told, fit)
    for other, beside in beside_each(fit, space):
        yield Handed(told, other, beside)


def beside_each(fit: Filling, space: Space) -> Iterator[tuple[Filling, str]]:
    """What is sent beside each choice of another field, and how that choice is called."""
    for chosen in single_choices(space):
        if (other := fit.beside(chosen)) is not None:
            yield other, named(chosen)


def seen_values(flown: Survey) -> Iterator[ToldValue]:
    """The values that idling sees by a name that promises the answer, at whatever turn."""
    found: dict[str, list[JsonValue]] = {}
    for episode in flown.idle.ended:
        for turn in episode.turns:
            for path, value in inside(turn.observation).items():
                if names_answer(path):
                    found.setdefault(path, []).append(value)
    yield from (ToldValue(path, tuple(values)) for path, values in found.items())


def hidden_values(openings: Sequence[Opening], dropped: set[str]) -> Iterator[ToldValue]:
    """What state and metadata tell at every reset and the observation does not: values, and entries that stand out."""
    if not openings:
        return
    seen = [inside(opening.observation) for opening in openings]
    for told in beside_the_task(openings, dropped):
        if not (told_in_words(told.values, seen) or told_one_to_one(told.values, seen)):
            yield told
    for row in hidden_outliers(openings, dropped):
        named = [outlier.name for outlier in row]
        if not told_one_to_one(named, seen):
            yield ToldValue(row[0].said, tuple(named), row[0].path)


def beside_the_task(openings: Sequence[Opening], dropped: set[str]) -> Iterator[ToldValue]:
    """The values that state and metadata tell at every reset, whether they are seen as well or not.

    Args:
        openings: The resets.
        dropped: Paths that are left out.
    """
    held = [values_of(opening) for opening in openings]
    seeds = [opening.task.get("seed") for opening in openings]
    for path in held[0] if held else ():
        values = [each.get(path) for each in held]
        if not (is_seen(path) or path in dropped or None in values or values == seeds):
            yield ToldValue(path, tuple(values))


def told_in_words(values: Sequence[JsonValue], seen: Sequence[Values]) -> bool:
    """Whether the texts that are seen name each case's value, and not as well the values of the others."""
    texts = [
        words_of(" ".join(str(v) for p, v in shown.items() if not isinstance(v, dict | list)))
        for shown in seen
    ]
    own, other = [], []
    for n, value in enumerate(values):
        said = words_of(str(value))
        own.append(holds(texts[n], said))
        others = [words_of(str(v)) for v in values if key_of(v) != key_of(value)]
        other += [holds(texts[n], words) for words in others]
    return fmean(own) >= MOSTLY and (not other or fmean(other) < 1 - EXPLAINED)


def told_one_to_one(values: Sequence[JsonValue], seen: Sequence[Values]) -> bool:
    """Whether another value that is seen goes with it one to one, as a category's number does with its name."""
    mine = [key_of(value) for value in values]
    if len(set(mine)) == len(mine):
        return any(mine == [key_of(s.get(p)) for s in seen] for p in seen[0])
    for path in seen[0]:
        theirs = [key_of(shown.get(path)) for shown in seen]
        if len(set(theirs)) == len(set(mine)) == len(set(zip(mine, theirs, strict=True))):
            return True
    return False


def shifted(session: AuditSession, row: SurveyRow) -> SurveyRow:
    """A copy's episodes with another case's value at each turn: the next one that was sent, and differs."""

    def again(session: AuditSession, _: Sequence[TaskOptions], flown: Survey) -> SurveyRow:
        return shifted(session, flown.named(row.name) or replace(row, episodes=[]))

    sent = [action for e in row.ended for action in actions_of(e.turns)]
    plans, place = [], 0
    for episode in row.ended:
        actions = actions_of(episode.turns)
        plans.append(
            (
                episode.task,
                [next_other(sent, place + n) or sent[place + n] for n in range(len(actions))],
            )
        )
        place += len(actions)
    plans = [(task, plan) for task, plan in plans if plan]
    name = f"{row.name}, with another case's value"
    episodes = session.plans(name, plans)
    made = SurveyRow(name, SHIFTED, episodes, row.field, context=row.context, about=row.name)
    return replace(made, again=again, needs=(row.name,))


def worth_of(flown: Survey) -> Callable[[Episode], float]:
    """What an episode is worth: whether it succeeds where that is known and somebody does, else what it is paid."""
    by_success = not flown.doubtful and flown.tells_success and any(map(succeeded, flown.episodes))
    return (lambda episode: float(succeeded(episode))) if by_success else total


def does_best(row: SurveyRow, flown: Survey, explored: Sequence[Episode] = ()) -> bool:
    """Whether a copy earns the best that is known on nearly every seed, and no mere token."""
    worth = worth_of(flown)
    mine = {seed_of(e.task): worth(e) for e in row.ended}
    if not mine or fmean(mine.values()) < LEAST_GRADE:
        return False
    best: dict[str, float] = {}
    others = [e for r in flown.rows if r.kind not in {*COPIES, SHIFTED} for e in r.ended]
    for episode in [*others, *(e for e in explored if e.error is None)]:
        seed = seed_of(episode.task)
        best[seed] = max(best.get(seed, worth(episode)), worth(episode))
    as_well = [value >= NEARLY * best.get(seed, value) for seed, value in mine.items()]
    return fmean(as_well) >= MOSTLY


def does_well(row: SurveyRow, flown: Survey) -> bool:
    """Whether a copy earns the best that is known on nearly every seed, and what does not look far less."""
    worth = worth_of(flown)
    mine = {seed_of(e.task): worth(e) for e in row.ended}
    blind = [r for r in blind_rows(flown) if any(seed_of(e.task) in mine for e in r.ended)]
    if len(mine) < LEAST_EPISODES or len(blind) < LEAST_BLIND or not does_best(row, flown):
        return False
    return all(far_less(other, mine, worth) for other in blind)


def blind_rows(flown: Survey) -> list[SurveyRow]:
    """The policies that do not look, with all that they do not choose as in idle."""
    return [row for row in flown.of_kind(*BLIND) if row.context is None and row.ended]


def answers_at_once(row: SurveyRow) -> bool:
    """Whether nearly all that a row earns it earns with its first action.

    Who is told a direction or a next step does no more than any policy that looks where it goes.
    """
    return all((e.turns[0].reward or 0.0) >= NEARLY * total(e) for e in row.ended)


def far_less(row: SurveyRow, mine: dict[str, float], worth: Callable[[Episode], float]) -> bool:
    """Whether a row earns far less than a copy does on the seeds that both flew; not where they share none."""
    pairs = [(worth(e), mine[s]) for e in row.ended if (s := seed_of(e.task)) in mine]
    return bool(pairs) and fmean(a for a, _ in pairs) <= EXPLAINED * fmean(b for _, b in pairs)


def handed_out(flown: Survey) -> Iterator[Suspicion]:
    """Copies of what is told beside the task that are the answer.

    Args:
        flown: What was flown, with the rows of :func:`handed_rows`.
    """
    worth = worth_of(flown)
    for row in flown.of_kind(*COPIES):
        controls = [r for r in flown.of_kind(SHIFTED) if r.about == row.name]
        mine = {seed_of(e.task): worth(e) for e in row.ended}
        stands_out = row.kind == STANDS_OUT
        # Of entries that stand out more is asked: another entry is a control as well, and nobody who copies what is
        # seen does as well.
        if len(controls) < 1 + stands_out or not does_well(row, flown):
            continue
        readers = flown.of_kind(*READERS) if stands_out else []
        beside = [r for r in readers if any(seed_of(e.task) in mine for e in r.ended)]
        if not all(far_less(other, mine, worth) for other in [*controls, *beside]):
            continue
        own, size = fmean(mine.values()), len(mine)
        well = f"earns {own:g} on average over {size} seeds, at least as much as the best that is known"
        if worth is not total:
            well = f"succeeds on {own:.0%} of {size} seeds, at least as often as the best that is known"
        means = {r.name.removeprefix(row.name): fmean(map(worth, r.ended)) for r in controls}
        shown = "g" if worth is total else ".0%"
        others = ", ".join(
            f"{format(mean, shown)} {what.strip(', ')}" for what, mean in means.items()
        )
        said = f"{row.name}: {well}; {others}; and far less by the policies that do not look"
        best = max(row.ended, key=worth)
        other = max(means.values())
        severity = Severity.SUSPICIOUS if row.kind == PERHAPS else None
        yield Suspicion(
            "leaked_answer", row, best, said, own - other, severity, rests=worth is not total
        )
