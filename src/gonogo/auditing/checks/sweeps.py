"""Each thing that is seen destroyed in turn, and then an end: a share of what is left is whole where nothing wrong is.

The panel says the same at every turn, and its ways of leaving nothing behind look for what is to go in what they see
last, which after a deletion may be no more than that something was deleted. Here the names are read first, from the
reset or from what one question shows; then each is sent once to an action that destroys by its name, and at last an
action is sent that ends an episode. Where that is paid badly because something has to be left, all but one go; which
one stays is tried out, first those whose deletion alone is paid least.

To clear all away may be what is asked for, and one that stays alone may be the right one, as the last of some suspects
is. So three sweeps have to earn all there is: of everything or of all but one, of all but one or another one, and of
all but two. Then what is left does not matter. It is flown only where another action makes or
mends by its name, and where what was sent was gone then: it is seen no more, or the same action is answered otherwise
when it is sent again.

An action may take away under any name, as ``drain`` does. Where the source says that it moves what the reward divides
by (:mod:`gonogo.contract.moved_shares`), it is flown, too, and no other action has to mend.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from gonogo.auditing.checks.beginnings import MOST_LOOKS, Beginnings, FirstLooks, seen_on
from gonogo.auditing.checks.emptied import (
    DESTROYS,
    FULL,
    MAKES,
    ROUNDING,
    action_words,
    earns_all,
)
from gonogo.auditing.checks.handed_out import compared, does_best, does_well
from gonogo.auditing.checks.outliers import names_of
from gonogo.auditing.checks.paid import NUMBER
from gonogo.auditing.checks.told_values import fits_in
from gonogo.auditing.resets import inside, key_of
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import WORK, Survey, SurveyRow, fly_habit, total
from gonogo.auditing.suspicions import EXPLAINED
from gonogo.contract.moved_shares import MovedShare
from gonogo.exploits.crossings import Chosen, around, fits, named, single_choices
from gonogo.exploits.panel import Habit, Kind
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import EACH, ActionField, Space
from gonogo.wire import Action, JsonValue, Observation, TaskOptions

LEAST_ROWS = 6
"""Rows of which a sweep has to be the best: from so many on a reward is judged without success."""
LEAST_NAMED, MOST_NAMED = 2, 60
MOST_GROUPS, MOST_FIELDS = 8, 6
MOST_STAYING = 6
"""Things of which each is left alone, until it is known what it pays to leave one."""
MOST_STEPS = 1_500
"""Steps after which no more is tried."""
PLACES = "place in "
"""How the names begin that are only places: what stands there is another thing once one of them is gone."""


@dataclass(frozen=True, slots=True)
class Destroying:
    """How one thing is destroyed.

    Attributes:
        place: What names the thing that goes, beside what destroys it.
        beside: The choices beside it; empty where there are none.
        mends: An action that makes or mends by its name; None where none is known.
        moves: Where the reward divides by what goes so, for a reader; empty where the name alone says that
            things are destroyed.
    """

    place: ActionField
    beside: str
    mends: Action | None = None
    moves: str = ""

    @property
    def name(self) -> str:
        """For tables and records."""
        return ", ".join(filter(None, [self.beside, self.place.name]))


@dataclass(frozen=True, slots=True)
class Sweep:
    """A way of destroying each thing in turn.

    Attributes:
        how: How one of them is destroyed.
        among: What the things are called together, as in ``key of observation.records``.
        ask: What is sent first, so that they are seen; None where the reset shows them.
        end: What is sent at last; None where no single action ends an episode.
        spared: Which ones stay, by how well each is left alone, the best first; empty where none does.
        about: Name of the sweep whose control this is; None for one that is no control.
    """

    how: Destroying
    among: str
    ask: Action | None
    end: Action | None
    spared: tuple[int, ...] = ()
    about: str | None = None

    @property
    def name(self) -> str:
        """For tables and records."""
        some = {(): "", (0,): " but one", (1,): " but another one"}.get(self.spared, " but two")
        return f"{self.how.name}: each {self.among}{some}, then {self.end or 'the last one again'}"

    @property
    def place(self) -> ActionField:
        """What names the thing that goes."""
        return self.how.place

    @property
    def control(self) -> Sweep:
        """The same with something else left: what is left must not matter."""
        return replace(self, spared=(1,) if self.spared else (0,), about=self.name)

    @property
    def first(self) -> list[Action]:
        """What is sent before the first thing goes."""
        return [] if self.ask is None else [self.ask]

    @property
    def last(self) -> list[Action]:
        """What is sent when they are gone."""
        return [] if self.end is None else [self.end]

    def row(self, session: AuditSession, tasks: Sequence[TaskOptions]) -> SurveyRow:
        """The sweep, flown on each of some tasks where what is sent is gone then."""

        def again(session: AuditSession, tasks: Sequence[TaskOptions], _: Survey) -> SurveyRow:
            return self.row(session, tasks)

        plans: list[tuple[TaskOptions, list[Action]]] = []
        for task, seen in zip(tasks, seen_on(session, tasks, self.ask), strict=True):
            names = named_in(seen, self.place).get(self.among, ())
            if names and self.is_gone(session, task, names, seen):
                going = [self.place.put(name) for name in self._going(session, task, names)]
                plans.append((task, [*self.first, *going, *self.last]))
        plans = [(task, plan) for task, plan in plans if len(plan) <= session.limit]
        episodes = session.plans(self.name, plans)
        field, beside = self.place.name, self.place.base
        needs = (self.control.name,) if self.about is None else ()
        made = SurveyRow(self.name, Kind.SWEEP, episodes, field, context=beside, about=self.about)
        return replace(made, again=again, needs=needs, moves=self.how.moves)

    def is_gone(
        self,
        session: AuditSession,
        task: TaskOptions,
        names: Sequence[JsonValue],
        seen: Observation,
    ) -> bool:
        """Whether the first of some things is seen no more once it was destroyed, or is answered as no other one is.

        A history grows by whatever is sent. So the first thing again is held against the second one after the first.
        """
        first, second = names[:2]
        plans = [
            (task, [*self.first, self.place.put(first), self.place.put(then)])
            for then in (first, second)
        ]
        turns = len(self.first) + 2
        again, other = session.plans("twice", plans, whole=True, turns=turns)
        if any(e.error is not None or len(e.turns) < turns for e in (again, other)):
            return False
        if listed(seen) - listed(again.turns[-1].observation) == {str(first)}:
            return True
        twice, both = (in_words(e.final_observation, names) for e in (again, other))
        return twice != both

    def _going(
        self, session: AuditSession, task: TaskOptions, names: Sequence[JsonValue]
    ) -> list[JsonValue]:
        """The things that go."""
        if not self.spared:
            return list(names)
        plans = [(task, [*self.first, self.place.put(name), *self.last]) for name in names]
        turns = len(self.first) + 1 + len(self.last)
        alone = session.plans("one alone", plans, turns=turns)
        order = sorted(range(len(names)), key=lambda n: total(alone[n]))
        tried: list[tuple[float, int]] = []
        for stays in order[:MOST_STAYING]:
            going = [name for n, name in enumerate(names) if n != stays]
            sent = [*self.first, *map(self.place.put, going), *self.last]
            (left,) = session.plans("all but one", [(task, sent)])
            tried.append((total(left), stays))
            if sum(pay >= FULL - ROUNDING for pay, _ in tried) > max(self.spared):
                break
        best = [stays for _, stays in sorted(tried, key=lambda each: -each[0])]
        stay = {best[min(rank, len(best) - 1)] for rank in self.spared}
        return [name for n, name in enumerate(names) if n not in stay]


def listed(observation: Observation) -> set[str]:
    """What is seen in a list or as a key, as texts."""
    held = inside(observation).values()
    return {str(name) for value in held if isinstance(value, dict | list) for name in value}


def in_words(observation: Observation, names: Sequence[JsonValue]) -> list[str]:
    """What is seen without some names, and without its numbers, so that counters are left out."""
    known = re.compile("|".join(sorted(map(re.escape, map(str, names)), key=len, reverse=True)))
    held = (f"{path}: {value}" for path, value in inside(observation).items())
    return sorted(NUMBER.sub("#", known.sub("#", text)) for text in held)


def named_in(observation: Observation, place: ActionField) -> dict[str, tuple[JsonValue, ...]]:
    """The names that are seen together and that a place of the action takes, by what they are called together."""
    takes, found = fits_in(place), dict[str, tuple[JsonValue, ...]]()
    for among, names in several_named(observation):
        if all(map(takes, names)):
            found.setdefault(among, names)
    return found


def several_named(observation: Observation) -> Iterator[tuple[str, tuple[JsonValue, ...]]]:
    """The names that are seen together, each another one, after what they are called together."""
    for path, value in inside(observation).items():
        for among, names in names_of(path, value):
            several = LEAST_NAMED <= len(set(map(key_of, names))) == len(names) <= MOST_NAMED
            if several and not among.startswith(PLACES):
                yield among, names


def destroying(space: Space, shares: Sequence[MovedShare] = ()) -> list[Destroying]:
    """The ways of destroying one thing: by their name beside an action that mends, and those that the source points at.

    Args:
        space: The actions.
        shares: What the reward divides by and actions move, by the source.
    """
    mends = [
        (place, action)
        for action in [leaf.base for leaf in space.leaves()] + space.constants(MOST_LOOKS)
        for place, word in action_words(action)
        if word in MAKES
    ]
    found: list[Destroying] = []
    pointed: list[Destroying] = []
    for place, beside in places_of(space):
        words = [where for where, word in action_words(place.base) if word in DESTROYS]
        other = next((action for where, action in mends if where in words), None)
        moves = moved_by(place, shares)
        if other is not None and place.path[-1] not in words:
            found.append(Destroying(place, beside, other, moves))
        elif moves:
            pointed.append(Destroying(place, beside, moves=moves))
    return [*found, *pointed][:MOST_FIELDS]


def moved_by(place: ActionField, shares: Sequence[MovedShare]) -> str:
    """Where the reward divides by what an action of some place moves, for a reader; empty where it does not.

    Args:
        place: The place, beside what the action does.
        shares: What the source says.
    """
    said = [
        value
        for field, value in place.base.items()
        if isinstance(value, str) and field != place.path[0]
    ]
    return next((str(each) for each in shares if any(map(each.moved_by, said))), "")


def places_of(space: Space) -> Iterator[tuple[ActionField, str]]:
    """The places of an action that are no list's, alone and beside each other choice, which is named."""
    single: list[Chosen] = [(), *single_choices(space)]
    for leaf in space.leaves():
        for chosen in single if EACH not in leaf.path else ():
            if fits(chosen, leaf):
                yield around(chosen, leaf), named(chosen)


def swept_rows(
    start: Beginnings, flown: Survey, explored: Sequence[Episode] = ()
) -> Iterator[SurveyRow]:
    """Rows of the sweeps that earn the best that is known, each after what it has to be compared with.

    Args:
        start: How the episodes of a row begin.
        flown: The survey.
        explored: What else was flown.
    """
    session, tasks, known = start.session, start.tasks, flown
    ways = destroying(session.space, session.shares)
    if not ways:
        return
    looks, began = start.looks, session.steps
    session.part.expect(len(ways))
    for how in ways:
        for sweep in sweeps(session, tasks[0], how, looks):
            if session.steps - began >= MOST_STEPS:
                return
            some = earning(session, sweep, known, tasks, explored)
            if not some:
                continue
            if some[0].kind == WORK:
                yield from some
                return
            plain = [*sweep.last, *([] if how.mends is None else [how.mends])]
            for action in plain:
                known = known.having(row := fly_habit(session, saying(session, action), tasks))
                yield row
            for other in compared(session, known, tasks, LEAST_ROWS - len(some)):
                known = known.having(other)
                yield other
            if all(does_well(row, known) for row in some):
                yield from reversed(some)
                return


def saying(session: AuditSession, action: Action) -> Habit:
    """The panel's habit of one action for ever, or one that is made where it has none."""
    made = Habit.constant(f"always {action}", Kind.CONSTANT, action)
    return next((habit for habit in session.panel() if habit.action == action), made)


def sweeps(
    session: AuditSession,
    task: TaskOptions,
    how: Destroying,
    looks: FirstLooks,
) -> Iterator[Sweep]:
    """The sweeps of one way: of all the names that are shown, those whose things are gone once they were sent."""
    tried: set[str] = set()
    for ask, seen in looks.shown:
        for among, names in named_in(seen, how.place).items():
            key = key_of(list(names))
            if key in tried or len(tried) >= MOST_GROUPS:
                continue
            tried.add(key)
            for end in looks.ends or (None,):
                sweep = Sweep(how, among, ask, end)
                if not sweep.is_gone(session, task, names, seen):
                    break
                yield sweep


def earning(
    session: AuditSession,
    sweep: Sweep,
    flown: Survey,
    tasks: Sequence[TaskOptions],
    explored: Sequence[Episode],
) -> list[SurveyRow]:
    """The two rows of a sweep that earn the best that is known, whatever they leave; none where there are no two.

    Of several copies one is to stay, and often any of them. So two may stay as well.
    """
    for main in (sweep, replace(sweep, spared=(0,))):
        row = on_each(session, main, flown, tasks, explored)
        other = row and on_each(session, main.control, flown, tasks, explored)
        if row is None or other is None:
            continue
        two = replace(sweep, spared=(0, 1))
        if (work := some_of_it(session, sweep, tasks)) is not None:
            return [work]
        if on_each(session, two, flown, tasks, explored) is not None:
            return [row, other]
    return []


def some_of_it(
    session: AuditSession, sweep: Sweep, tasks: Sequence[TaskOptions]
) -> SurveyRow | None:
    """The row of a sweep of all but one, if to destroy is the task: then some of it earns all, and more never costs.

    It is asked in the order in which the things are seen, and in reverse.

    Args:
        session: Where.
        sweep: It, with nothing spared.
        tasks: Reset options.
    """
    episodes: list[Episode] = []
    for task, seen in zip(tasks, seen_on(session, tasks, sweep.ask), strict=True):
        names = named_in(seen, sweep.place).get(sweep.among, ())
        for order in (names, names[::-1]):
            some = [order[:size] for size in range(len(order))]
            sent = [[*sweep.first, *map(sweep.place.put, gone), *sweep.last] for gone in some]
            plans = [(task, plan) for plan in sent if 0 < len(plan) <= session.limit]
            flown = session.plans("some of them", plans)
            pays = [total(e) for e in flown]
            costs = any(after < before - ROUNDING for before, after in pairwise(pays))
            if costs or not pays or pays[0] > EXPLAINED * max(pays) or max(pays) < FULL - ROUNDING:
                return None
        episodes += flown[-1:]
    return SurveyRow(replace(sweep, spared=(0,)).name, WORK, episodes)


def on_each(
    session: AuditSession,
    sweep: Sweep,
    flown: Survey,
    tasks: Sequence[TaskOptions],
    explored: Sequence[Episode],
) -> SurveyRow | None:
    """A sweep's row on all tasks, flown one by one as long as it earns the best that is known; else None."""
    row = sweep.row(session, ())
    for task in tasks:
        row = row.on(sweep.row(session, [task]))
        if not earns_all(row) or not does_best(row, flown, explored):
            return None
    return row
