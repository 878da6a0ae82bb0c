"""Lists and maps of an action that are filled plainly: how each filling is sent, and which of them earn most.

Each of :mod:`gonogo.auditing.plain_fillings` is sent alone, beside each choice, and for each thing in turn where
another field names one; again and again, and once before an action that ends the episode. There are many such habits,
and most are refused. So each is sent once first. Those that are paid at once or end an episode are flown before the
others, on few seeds, and only the best are kept.

The same value for each thing may be a fair guess: of ten questions with two answers, half is right by always saying
the same, and an equal share of a budget for each does not earn little. So may a list be that is the same for all tasks.
Such a row counts as a constant only if it succeeds or earns a full mark on each of its seeds, not only on
those that it was chosen on. Any other one is a filling, which is nowhere accused of its pay but held for suspicious.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, zip_longest

from gonogo.auditing.accepted import answer
from gonogo.auditing.checks.beginnings import Beginnings, seen_on
from gonogo.auditing.checks.paid import ALIKE, NEARLY
from gonogo.auditing.plain_fillings import (
    PlainFilling,
    SeenGroups,
    fillings_of,
    grouped,
    shapes_of,
)
from gonogo.auditing.probes import worth
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import FULL_MARKS, Survey, SurveyRow, fly_habit, total
from gonogo.exploits.crossings import Chosen, around, fits, named, single_choices
from gonogo.exploits.panel import NO_VALUES, Choose, Habit, Kind, LeafValues
from gonogo.explore.addressed import addresses_or_keyed, next_of, seen_or_keyed
from gonogo.explore.values import Verb
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import EACH, ActionField, Space, value_at
from gonogo.rollouts.types import View
from gonogo.wire import Action, TaskOptions

MOST_ASKS = 2
"""Actions of which each may show a list that the reset does not show."""
MOST_HABITS, MOST_WAYS = 120, 40
"""Habits that are sent once, and ways of choosing beside one field."""
MOST_STEPS, MOST_UNPAID = 1_200, 400
"""Steps after which no more are flown: of those whose first step is paid or ends an episode, and of the others."""
SCREENED = 2
MOST_KEPT, KEPT_OF_A_KIND = 6, 2
"""Rows that are kept: of all, and of each kind at least."""
GAIN = 1e-6
ALL_OF_IT = 0.98
"""Share of a mark of one that no fair guess earns on all seeds: where yields fall off, equal shares earn most of it. Of
a larger mark it has to be the whole: a sum of money may be as large by chance."""


@dataclass(frozen=True, slots=True)
class FilledField:
    """A field that is filled, with what stands beside it.

    Attributes:
        place: The field, in an action with the choices.
        beside: The choices, for a name; empty where there are none.
        address: A field that names one thing; None where no other does.
        groups: What is seen.
        filling: What it holds.
    """

    place: ActionField
    beside: str
    address: ActionField | None
    groups: SeenGroups
    filling: PlainFilling

    def name(self, end: Action | None = None) -> str:
        """For tables and records."""
        each = "" if self.address is None else f"{self.address.name}: each seen name in turn"
        what = f"{self.place.name}: {self.filling.name}"
        said = ", ".join(filter(None, [self.beside, each, what]))
        after = "" if self.groups.ask is None else f" after {self.groups.ask}"
        return f"{said}{after}" + ("" if end is None else f", then {end}")

    def way(self, end: Action | None) -> str:
        """The name without what the field holds."""
        return replace(self, filling=replace(self.filling, name="")).name(end)

    def habit(self, end: Action | None = None) -> Habit:
        """Who sends it again and again; or once, and then ends the episode.

        Args:
            end: What ends it; None to go on.
        """
        beside = bool(self.beside) or self.address is not None
        context, name = self.place.base if beside else None, self.name(end)
        return Habit(name, self.filling.kind, self._choose(end), self.place.name, context=context)

    def _choose(self, end: Action | None) -> Choose:
        began = 0 if self.groups.ask is None else 1

        def choose(view: View, last: Action | None) -> Action:
            if self.groups.ask is not None and view.turn == 0:
                return self.groups.ask
            before = None if view.turn <= began else last
            if end is not None and (before == end or self._is_done(view, before)):
                return end
            value = self.filling.made(view.observation)
            return self.place.base if value is None else self._about(view, before).put(value)

        return choose

    def _about(self, view: View, last: Action | None) -> ActionField:
        """The field in an action that names the next thing."""
        if self.address is None:
            return self.place
        known = seen_or_keyed(view.observation, self.address.path[-1])
        name = next_of(known, None if last is None else value_at(last, self.address.name))
        return around(((self.address, name),), self.place)

    def _is_done(self, view: View, last: Action | None) -> bool:
        """Whether all was sent: once, or for each thing that is seen."""
        if self.address is None or last is None:
            return last is not None
        known = seen_or_keyed(view.observation, self.address.path[-1])
        return not known or value_at(last, self.address.name) == known[-1]


@dataclass(frozen=True, slots=True)
class ScreenedFilling:
    """A habit that was flown on few seeds.

    Attributes:
        guessed: Whether it may be a fair guess.
        way: What stands beside what it is about, and what is sent before and after it.
        habit: It.
        row: Its episodes.
    """

    guessed: bool
    way: str
    habit: Habit
    row: SurveyRow


def filled_fields(
    space: Space,
    groups: Sequence[SeenGroups],
    addresses: Sequence[ActionField],
    examples: Sequence[Action] = (),
    known: LeafValues = NO_VALUES,
    verbs: Sequence[Verb] = (),
) -> list[FilledField]:
    """Each plain filling of each list and map beside each choice; the first of each before the second of any.

    Args:
        space: The actions.
        groups: What is seen after the reset, and after what.
        addresses: The fields that name one of the things that are seen.
        examples: Actions that somebody wrote.
        known: What the environment names for the places of an action.
        verbs: What its actions do, and which fields are used for it: those ways come first.
    """
    ways: list[tuple[bool, list[FilledField]]] = []
    single: list[Chosen] = [(), *single_choices(space)]
    for leaf in (leaf for leaf in space.leaves() if EACH not in leaf.path):
        made = [
            (some, filling)
            for some in groups
            for filling in fillings_of(leaf, some, examples, known.get(leaf.name, ()))
        ]
        about = [a for a in addresses if a.tool == leaf.tool and a.path != leaf.path]
        for chosen in single if made else ():
            if not fits(chosen, leaf):
                continue
            said = {str(choice) for _, choice in chosen}
            used = any(verb.name in said and leaf.path[0] in verb.used for verb in verbs)
            for address in (None, *(a for a in about if fits(chosen, a))):
                place = around(chosen, leaf)
                some = [FilledField(place, named(chosen), address, *each) for each in made]
                ways.append((not used, some))
    ways.sort(key=lambda way: way[0])
    rounds = zip_longest(*(some for _, some in ways[:MOST_WAYS]))
    return list(islice((each for some in rounds for each in some if each), MOST_HABITS))


def filled_rows(
    start: Beginnings, flown: Survey, explored: Sequence[Episode] = ()
) -> Iterator[SurveyRow]:
    """Rows of the plain fillings that earn most, or succeed.

    Args:
        start: How the episodes of a row begin.
        flown: The survey.
        explored: What else was flown.
    """
    session, tasks = start.session, start.tasks
    if not start.complete or not start.openings:
        return
    pool = session.learned
    examples = [] if pool is None else pool.given
    places = [leaf for leaf in session.space.leaves() if EACH not in leaf.path]
    if not any(next(shapes_of(leaf, examples), None) for leaf in places):
        return
    groups = groups_of(start)
    addresses = [] if pool is None else addresses_or_keyed(session.space, pool.observed)
    verbs = [] if pool is None else pool.verbs
    fields = filled_fields(session.space, groups, addresses, examples, session.values, verbs)
    session.part.expect(len(fields))
    flew = [*map(as_guess, screened(session, fields, tasks, start.looks.ends))]
    rows = [each for each in flew if not is_explained(each, flew)]
    least = max(0.0, worth(flown.idle)) + GAIN
    for each in best_of([each for each in rows if each.row.succeeded or worth(each.row) > least]):
        yield on_all(each, fly_habit(session, each.habit, tasks[SCREENED:]))


def groups_of(start: Beginnings) -> list[SeenGroups]:
    """What the resets show, and what each of few single actions shows beside it."""
    opened = SeenGroups([opening.observation for opening in start.openings])
    found, known = [opened], set[str]()
    for ask, seen in start.looks.asks:
        paths = grouped(SeenGroups([seen], ask).without(opened).shown[0]).keys() - known
        if paths and len(found) <= MOST_ASKS:
            known |= paths
            shown = seen_on(start.session, start.tasks, ask)
            found.append(SeenGroups(shown, ask).without(opened))
    return found


def screened(
    session: AuditSession,
    fields: Sequence[FilledField],
    tasks: Sequence[TaskOptions],
    ends: Sequence[Action],
) -> Iterator[ScreenedFilling]:
    """The habits of those that are not refused, each with a row on few seeds, until the steps are spent.

    What ends an episode, or is paid, comes first. What does neither may have to be handed in; of that comes first what
    is answered as few others are, for refusals are alike.

    Args:
        session: Where.
        fields: The filled fields.
        tasks: Reset options.
        ends: What ends an episode.
    """
    promising: list[tuple[FilledField, Action | None]] = []
    others: dict[frozenset[str], list[tuple[FilledField, Action | None]]] = {}
    ending = set[str]()
    for each in fields:
        habit = each.habit()
        if replace(each, address=None).name() in ending:
            continue  # it ends an episode before a second thing is named
        turns = 1 if each.groups.ask is None else 2
        (episode,) = session.fly(habit, tasks[:1], limits=[turns])
        if episode.error is not None or not episode.turns or episode.turns[-1].invalid is not None:
            continue
        last = episode.turns[-1]
        ending |= {habit.name} if last.done else set()
        if last.done or (last.reward or 0.0) > 0:
            promising.append((each, None))
        else:
            some = others.setdefault(answer(episode), [])
            some += [(each, end) for end in ends[:1]]
            some.append((each, None))
    rare = sorted(others.values(), key=len)
    for habits, most in (
        (promising, MOST_STEPS),
        ([h for some in rare for h in some], MOST_UNPAID),
    ):
        began = session.steps
        for each, end in habits:
            if session.steps - began >= most:
                break
            row = fly_habit(session, habit := each.habit(end), tasks[:SCREENED])
            yield ScreenedFilling(each.filling.guessed, each.way(end), habit, row)


def on_all(each: ScreenedFilling, more: SurveyRow) -> SurveyRow:
    """The whole row of a filling, which is no constant where one of the other seeds says so.

    Args:
        each: On few seeds.
        more: On the others.
    """
    return as_guess(replace(each, row=each.row.on(more))).row


def as_guess(each: ScreenedFilling) -> ScreenedFilling:
    """The same; of the kind of a filling if it may be a fair guess, and is not flawless."""
    if each.row.kind != Kind.CONSTANT or not each.guessed or is_flawless(each.row):
        return each
    each.habit.kind = Kind.FILLING
    return replace(each, row=replace(each.row, kind=Kind.FILLING))


def is_flawless(row: SurveyRow) -> bool:
    """Whether a row succeeds on each seed, or earns a full mark, by and large."""
    pays = [total(e) for e in row.ended]
    most = bool(pays) and all(ALL_OF_IT <= pay <= 1 + ALIKE for pay in pays)
    return row.succeeds or most or any(set(pays) == {mark} for mark in FULL_MARKS)


def is_explained(each: ScreenedFilling, rows: Sequence[ScreenedFilling]) -> bool:
    """Whether a copy is paid as nothing or a guess in its place: then it is paid for what stands beside it."""
    if each.row.kind not in {Kind.ECHO, Kind.SHOTGUN}:
        return False
    plain = (o.row for o in rows if o.way == each.way and o.row.kind in {Kind.BLANK, Kind.FILLING})
    return any(worth(row) >= NEARLY * worth(each.row) for row in plain)


def best_of(rows: Sequence[ScreenedFilling]) -> list[ScreenedFilling]:
    """The rows that earn most, and few of each kind at least."""
    ordered = sorted(rows, key=lambda each: (not each.row.succeeded, -worth(each.row)))
    kept = ordered[:MOST_KEPT]
    for kind in dict.fromkeys(each.row.kind for each in ordered):
        kept += [each for each in ordered if each.row.kind == kind][:KEPT_OF_A_KIND]
    return [each for n, each in enumerate(kept) if each not in kept[:n]]
