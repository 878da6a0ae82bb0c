"""Each thing that is seen named once, with a list left empty that is shown for it: a check over nothing holds.

A booking without attendees has no conflict, a shipment without parcels none that is too heavy. The panel leaves lists
empty, too, but says the same at every turn. Here each name that is seen is sent once, with nothing in one list and the
same plain values in all other fields, whatever is seen of the thing; and then comes an action that ends the episode.

To do the same with each thing may be all that is asked for. So the list has to count: of each thing a list is seen that
the empty place would take, and who sends that in its place, and all else alike, earns half of it at most. What is wrong
with the full list is not wrong with the empty one, so that it was judged by what is in it, and by nothing else. A place
is left out where a name that is seen is answered as any other text is, and where what is sent takes the place of the
list that is seen: to empty it may be the task.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from statistics import fmean

from gonogo.auditing.checks.beginnings import Beginnings, seen_on
from gonogo.auditing.checks.emptied import earns_all
from gonogo.auditing.checks.handed_out import compared, does_best, does_well, worth_of
from gonogo.auditing.checks.handed_tables import two_places
from gonogo.auditing.checks.outliers import entries_in, names_of
from gonogo.auditing.checks.sweeps import (
    LEAST_NAMED,
    MOST_NAMED,
    PLACES,
    in_words,
    saying,
)
from gonogo.auditing.checks.told_values import fits_in
from gonogo.auditing.resets import inside
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, SurveyRow, fly_habit
from gonogo.exploits.panel import NONSENSE, Kind
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import EACH, ActionField, choices_of, landmarks, put
from gonogo.wire import Action, JsonObject, JsonValue, Observation, TaskOptions

MOST_OTHERS, MOST_VALUES, MOST_TRIED = 4, 4, 48
"""Other fields that are filled, values of each, and ways of filling them."""
MOST_STEPS = 800
"""Steps after which no more is tried."""
HALF = 0.5
"""Share of what the empty list earns that the full one earns at most."""

Named = tuple[tuple[JsonValue, JsonObject], ...]
"""Things with their names."""


def things_in(observation: Observation) -> dict[str, Named]:
    """The things that are seen together, each with its name, by what they are called together.

    Args:
        observation: What is seen.
    """
    found: dict[str, Named] = {}
    for path, value in inside(observation).items():
        held = entries_in(value)
        if not LEAST_NAMED <= len(held) <= MOST_NAMED:
            continue
        things = [thing for thing in held if isinstance(thing, dict)]
        for among, names in names_of(path, value) if len(things) == len(held) else ():
            if not among.startswith(PLACES):
                found.setdefault(among, tuple(zip(names, things, strict=True)))
    return found


@dataclass(frozen=True, slots=True)
class LeftEmpty:
    """A way of naming each thing with nothing in a list.

    Attributes:
        place: What names a thing, beside choices.
        items: The list.
        among: What the things are called together, as in ``key of observation.orders``.
        own: What the list is called that is seen of each of them.
        beside: The choices beside both; empty where there are none.
        others: Other fields, each with the value that it always has.
        ask: What is sent first, so that they are seen; None where the reset shows them.
        end: What is sent at last; None where no single action ends an episode.
    """

    place: ActionField
    items: ActionField
    among: str
    own: str
    beside: str
    ask: Action | None
    end: Action | None
    others: tuple[tuple[ActionField, JsonValue], ...] = ()

    @property
    def name(self) -> str:
        """For tables and records."""
        what = ", ".join(filter(None, [self.beside, self.place.name]))
        always = "".join(f", {leaf.name}={value!r}" for leaf, value in self.others)
        end = f"then {self.end or 'the last one again'}"
        return f"{what}: each {self.among} with an empty {self.items.name}{always}, {end}"

    def plan(self, things: Named, *, full: bool = False) -> list[Action]:
        """What is sent for some things; empty where they have no such list.

        Args:
            things: They.
            full: Whether each thing's own list is sent in place of the empty one.
        """
        takes, takes_list = fits_in(self.place), fits_in(self.items)
        if not all(takes(name) and takes_list(thing.get(self.own)) for name, thing in things):
            return []
        sent = [self._sent(name, thing[self.own] if full else []) for name, thing in things]
        first, last = ([] if some is None else [some] for some in (self.ask, self.end))
        return [*first, *sent, *last] if sent else []

    def things(self, seen: Observation) -> Named:
        """The things that are seen, by their names."""
        return things_in(seen).get(self.among, ())

    def _sent(self, name: JsonValue, items: JsonValue) -> Action:
        """The action that names a thing."""
        action = dict(put(self.place.put(name), self.items.path, items))
        for leaf, value in self.others:
            action = dict(put(action, leaf.path, value))
        return action

    def row(
        self, session: AuditSession, tasks: Sequence[TaskOptions], *, full: bool = False
    ) -> SurveyRow:
        """The row of some tasks, where there are such things."""

        def again(session: AuditSession, tasks: Sequence[TaskOptions], _: Survey) -> SurveyRow:
            return self.row(session, tasks, full=full)

        plans = [
            (task, plan)
            for task, seen in zip(tasks, seen_on(session, tasks, self.ask), strict=True)
            if 0 < len(plan := self.plan(self.things(seen), full=full)) <= session.limit
        ]
        episodes = session.plans(self.name, plans)
        field, beside = self.items.name, self.place.base
        return SurveyRow(self.name, Kind.BLANK, episodes, field, context=beside, again=again)

    def is_read(self, session: AuditSession, task: TaskOptions, seen: Observation) -> bool:
        """Whether a name that is seen is answered otherwise than a text that says nothing."""
        name = self.things(seen)[0][0]
        first = [] if self.ask is None else [self.ask]
        plans = [(task, [*first, self._sent(said, [])]) for said in (name, NONSENSE[0])]
        both = session.plans("a name", plans, whole=True, turns=len(first) + 1)
        if any(e.error is not None or e.turns[-1].done for e in both):
            return False
        known = [name, NONSENSE[0]]
        one, other = (in_words(e.final_observation, known) for e in both)
        return one != other

    def keeps(self, session: AuditSession, task: TaskOptions, seen: Observation) -> bool:
        """Whether a thing is seen with its own list after it was named with an empty one.

        To empty the list may be what is asked for: then what is sent takes its place.
        """
        name, thing = self.things(seen)[0]
        ask = [] if self.ask is None else [self.ask]
        plan = [*ask, self._sent(name, []), *ask]
        (flown,) = session.plans("a list left empty", [(task, plan)], whole=True, turns=len(plan))
        after = [
            held.get(self.own)
            for called, held in self.things(flown.final_observation)
            if called == name
        ]
        return flown.error is None and after == [thing[self.own]]


def ways(start: Beginnings) -> Iterator[LeftEmpty]:
    """The ways of naming the things that are shown, each with nothing in a list that is seen of them.

    Args:
        start: What is seen, and the actions that end an episode.
    """
    session, task, looks = start.session, start.tasks[0], start.looks
    tried: set[str] = set()
    shown = [(ask, seen, things_in(seen)) for ask, seen in looks.shown]
    for place, items, beside in two_places(session.space):
        if not takes_nothing(items):
            continue
        for ask, seen, together in shown:
            for among, things in together.items():
                for own in [name for name, held in things[0][1].items() if isinstance(held, list)]:
                    way = LeftEmpty(
                        place, items, among, own, beside, ask, next(iter(looks.ends), None)
                    )
                    key = repr([place.name, place.base, items.name, among, own])
                    if key in tried or not way.plan(things):
                        continue
                    tried.add(key)
                    if way.is_read(session, task, seen):
                        yield way


def takes_nothing(leaf: ActionField) -> bool:
    """Whether a place takes a list with nothing in it."""
    lists = [option for option in leaf.options if option.get("type") == "array"]
    return bool(lists) and fits_in(leaf)([])


def filled_alike(
    session: AuditSession, way: LeftEmpty
) -> Iterator[tuple[tuple[ActionField, JsonValue], ...]]:
    """The ways of filling the other fields with one value each, the plainest first."""
    others: list[list[tuple[ActionField, JsonValue] | None]] = []
    for leaf in session.space.leaves():
        apart = leaf.path not in (way.place.path, way.items.path) and EACH not in leaf.path
        same = leaf.tool == way.place.tool and leaf.base.keys() <= way.place.base.keys()
        chosen = any(choices_of(option) for option in leaf.options)
        listed = any(option.get("type") in {"array", "object"} for option in leaf.options)
        if not apart or not same or chosen or listed:
            continue
        values = dict.fromkeys(
            [*filter(plain, session.values.get(leaf.name, ())), *landmarks(leaf)]
        )
        some = list(islice(filter(fits_in(leaf), values), MOST_VALUES))
        if some:
            others.append([None, *((leaf, value) for value in some)])
    ranks = product(*(range(len(some)) for some in others[:MOST_OTHERS]))
    for chosen_ranks in sorted(ranks, key=sum)[:MOST_TRIED]:
        picked = [some[rank] for some, rank in zip(others, chosen_ranks, strict=False)]
        yield tuple(pair for pair in picked if pair is not None)


def plain(value: JsonValue) -> bool:
    """Whether a value is a text or a number."""
    return isinstance(value, str | int | float)


def left_empty_rows(
    start: Beginnings, flown: Survey, explored: Sequence[Episode] = ()
) -> Iterator[SurveyRow]:
    """The row of the first way that earns all there is on each task, and with full lists half of it at most.

    Args:
        start: How the episodes of a row begin.
        flown: The survey.
        explored: What else was flown.
    """
    session, tasks = start.session, start.tasks
    lists = [leaf for leaf in session.space.leaves() if EACH not in leaf.path]
    if not any(map(takes_nothing, lists)):
        return
    began = session.steps
    for way in ways(start):
        for others in filled_alike(session, way):
            if session.steps - began >= MOST_STEPS:
                return
            row = on_each(session, replace(way, others=others), flown, tasks, explored)
            if row is not None:
                known = flown
                for action in [] if way.end is None else [way.end]:
                    known = known.having(
                        alone := fly_habit(session, saying(session, action), tasks)
                    )
                    yield alone
                for other in compared(session, known, tasks):
                    known = known.having(other)
                    yield other
                if does_well(row, known):
                    yield row
                    return


def on_each(
    session: AuditSession,
    way: LeftEmpty,
    flown: Survey,
    tasks: Sequence[TaskOptions],
    explored: Sequence[Episode],
) -> SurveyRow | None:
    """A way's row on all tasks, flown one by one, if it earns all there is, and full lists half at most; else None."""
    row, worth = way.row(session, ()), worth_of(flown)
    for task in tasks:
        row = row.on(way.row(session, [task]))
        if not row.episodes or not earns_all(row) or not does_best(row, flown, explored):
            return None
    (seen,) = seen_on(session, tasks[:1], way.ask)
    if not way.keeps(session, tasks[0], seen):
        return None
    full = way.row(session, tasks, full=True)
    if len(full.ended) < len(tasks) or len(row.ended) < len(tasks):
        return None
    less = fmean(map(worth, full.ended)) <= HALF * fmean(map(worth, row.ended))
    return row if less else None
