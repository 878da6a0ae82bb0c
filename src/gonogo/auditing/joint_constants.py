"""Constants that say something in several fields at once.

The panel varies one field of an action at a time. Where a grader adds up what it finds in each field, one action that
has the commonest choice in every one of them, and the wanted words in its text, earns far more than any of the panel's,
and reads nothing. So where the choices of all fields are few, each combination is flown. Then, for each kind of action,
field after field takes the value with which the whole earns most, and a text may hold the environment's own words or
all that is seen. Beside what this comes to goes the same with nonsense in that text, so that who is paid for the words
is told from who is paid for the choices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, product
from math import prod

from gonogo.auditing.probes import worth
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, SurveyRow, fly_habit
from gonogo.exploits.panel import (
    ALL_SEEN,
    NONSENSE,
    Habit,
    Kind,
    LeafValues,
    all_seen,
    shortened,
    single,
    wordings,
)
from gonogo.explore.addressed import addresses_in, next_name
from gonogo.explore.observed import Observed
from gonogo.rollouts.space import EACH, ActionField, Space, choices_of, free_text
from gonogo.rollouts.types import View
from gonogo.wire import Action, JsonValue, TaskOptions

MOST_COMBINED, MOST_STEPS = 60, 2_400
"""Combinations of an action's fields, and steps that they may take."""
MOST_CLIMBED = 1_500
"""Steps of the climbs of one kind of action."""
MOST_CHOICES = 8
"""Choices of a field, or values that are named for a text and taken for its choices."""
SCREENED = 2
"""Seeds on which a climb compares."""
GAIN = 1e-6
PLAIN = frozenset({Kind.CONSTANT, Kind.NONSENSE})


@dataclass(frozen=True, slots=True)
class FieldValue:
    """What one field says.

    Attributes:
        field: Which.
        kind: What sort of not trying it is.
        name: What it is called.
        value: It; what stands in its place where it is made of what is seen.
        made: Makes it of what is seen and of the last action; None where it is always the same.
    """

    field: ActionField
    kind: Kind
    name: str
    value: JsonValue
    made: Callable[[View, Action | None], JsonValue] | None = None


@dataclass(frozen=True, slots=True)
class JointAction:
    """One kind of action, and what several of its fields say.

    Attributes:
        base: The action that does least of its kind.
        said: What its fields say, each once; the one that was settled last stands last.
    """

    base: Action
    said: tuple[FieldValue, ...] = ()

    @property
    def action(self) -> Action:
        """The action, without what is made of what is seen."""
        action = self.base
        for each in self.said:
            action = each.field.put_in(action, each.value)
        return action

    @property
    def made(self) -> list[FieldValue]:
        """What is made of what is seen."""
        return [each for each in self.said if each.made is not None]

    @property
    def told(self) -> FieldValue | None:
        """The last text that is more than plain; None where all are plain."""
        return next((each for each in reversed(self.said) if each.kind not in PLAIN), None)

    @property
    def name(self) -> str:
        """For tables."""
        return "always " + ", ".join(f"{each.field.name}={each.name}" for each in self.said)

    def with_value(self, said: FieldValue) -> JointAction:
        """The same with something else in one field.

        Args:
            said: What it says.
        """
        others = (each for each in self.said if each.field.path != said.field.path)
        return JointAction(self.base, (*others, said))

    def habit(self, field: ActionField | None = None) -> Habit:
        """Who says it again and again.

        Args:
            field: The field that carries it; None for the text that is more than plain.
        """
        told = self.told
        kind = Kind.CONSTANT if told is None else told.kind
        carries = field or (None if told is None else told.field)
        context = None if carries is None else replace(carries, base=self.action).put("")
        name = None if carries is None else carries.name
        if not self.made:
            return Habit.constant(self.name, kind, self.action, name, context)

        def choose(view: View, last: Action | None) -> Action:
            action = self.action
            for each in self.made:
                if each.made is not None:
                    action = each.field.put_in(action, each.made(view, last))
            return action

        return Habit(self.name, kind, choose, name, context=context)

    def blank(self) -> Habit | None:
        """Who says the same, but for nonsense in the text that is more than plain; None where all are plain."""
        if self.told is None:
            return None
        habit = self.with_value(nonsense(self.told.field)).habit(self.told.field)
        habit.kind = Kind.NONSENSE
        return habit


def nonsense(field: ActionField) -> FieldValue:
    """A text that says nothing."""
    return FieldValue(field, Kind.NONSENSE, repr(NONSENSE[0]), NONSENSE[0])


def joint_rows(
    session: AuditSession, flown: Survey, tasks: Sequence[TaskOptions]
) -> Iterator[SurveyRow]:
    """Rows of all combinations of choices where these are few, and of what the climbs come to.

    Args:
        session: Where.
        flown: The survey, with the panel.
        tasks: Reset options of a row's episodes.
    """
    if flown.broken_off or not flown.idle.ended:
        return
    known = [row.action for row in flown.rows if row.action is not None]
    room = MOST_STEPS // (max(len(e.turns) for e in flown.idle.ended) * len(tasks))
    observed = None if session.learned is None else session.learned.observed
    best, kinds = max(map(worth, flown.rows)), list(kinds_of_action(session.space, observed))
    for base, fields in kinds:
        for habit in combinations_of(base, fields, session.values, room):
            if habit.action is None or habit.action not in known:
                yield (row := fly_habit(session, habit, tasks))
                best = max(best, worth(row))
                known += [] if habit.action is None else [habit.action]
    for base, fields in kinds:
        began = session.steps
        for start in starts(base, fields):
            if session.steps - began >= MOST_CLIMBED:
                break
            top, pay = climb(session, start, fields, tasks[:SCREENED], began + MOST_CLIMBED)
            if pay > best + GAIN:
                best = pay
                yield from (fly_habit(session, h, tasks) for h in (top.blank(), top.habit()) if h)


def kinds_of_action(
    space: Space, observed: Observed | None
) -> Iterator[tuple[JointAction, list[ActionField]]]:
    """The fields of each tool and of each form of an action, where there are several.

    Each with an action of it: where one of the fields may say which thing it is about, it names each that is seen in
    turn, and the others are left.

    Args:
        space: The actions.
        observed: What was seen so far; None where nothing was explored.
    """
    addresses = [] if observed is None else [a.path for a in addresses_in(space, observed)]
    plain = [leaf for leaf in space.leaves() if EACH not in leaf.path]
    # The forms of a union have a schema each.
    for _, some in groupby(plain, key=lambda leaf: (leaf.tool, id(leaf.root))):
        fields = list(some)
        base = JointAction(fields[0].base)
        address = next((field for field in fields if field.path in addresses), None)
        others = [field for field in fields if field is not address]
        if address is not None and len(others) > 1:
            yield base.with_value(each_in_turn(address)), others
        if len(fields) > 1:
            yield base, fields


def each_in_turn(address: ActionField) -> FieldValue:
    """A field that names each thing that is seen in turn."""
    return FieldValue(
        address,
        Kind.CONSTANT,
        "each seen name in turn",
        "",
        lambda view, last: next_name(view, address, last),
    )


def choices(field: ActionField, values: LeafValues) -> list[JsonValue]:
    """What a field may be: its choices, or what is named for a text."""
    closed = [choice for option in field.options for choice in choices_of(option)]
    if closed or free_text(field.schema, field.root) is None:
        return closed[:MOST_CHOICES]
    return [v for v in single(values.get(field.name, ())) if isinstance(v, str)][:MOST_CHOICES]


def combinations_of(
    base: JointAction, fields: Sequence[ActionField], values: LeafValues, most: int
) -> Iterator[Habit]:
    """The constants of each combination of choices; of as many fields as few combinations have, the closed ones first.

    Args:
        base: An action of one kind.
        fields: Its fields.
        values: What the environment names for them.
        most: Combinations that there is room for.
    """
    several = [(f, made) for f in fields if len(made := choices(f, values)) > 1]
    closed = [each for each in several if free_text(each[0].schema, each[0].root) is None]
    ways: list[list[FieldValue]] = []
    for field, made in [*closed, *(each for each in several if each not in closed)]:
        if prod(map(len, ways)) * len(made) <= min(MOST_COMBINED, most):
            ways.append(
                [FieldValue(field, Kind.CONSTANT, shortened(value), value) for value in made]
            )
    if len(ways) > 1:
        yield from (replace(base, said=(*base.said, *said)).habit() for said in product(*ways))


def starts(base: JointAction, fields: Sequence[ActionField]) -> Iterator[JointAction]:
    """An action with each choice of the first field that has any, from which the others are settled.

    Args:
        base: The action.
        fields: Its fields.
    """
    verb = next((f for f in fields if any(map(choices_of, f.options))), None)
    if verb is None:
        yield base
        return
    for option in verb.options:
        for choice in choices_of(option)[:MOST_CHOICES]:
            yield base.with_value(FieldValue(verb, Kind.CONSTANT, shortened(choice), choice))


def climb(
    session: AuditSession,
    start: JointAction,
    fields: Sequence[ActionField],
    tasks: Sequence[TaskOptions],
    until: int,
) -> tuple[JointAction, float]:
    """Settle one field after the other by what the whole earns, until none earns more or the steps are spent.

    Args:
        session: Where.
        start: Where it begins.
        fields: Those that are settled.
        tasks: Reset options.
        until: The session's steps at which it ends.

    Returns:
        What it came to, and what that earned in the mean.
    """
    top, pay = start, worth(fly_habit(session, start.habit(), tasks))
    settled = {each.field.path for each in start.said}
    before = None
    while before != top:
        before = top
        for field in (f for f in fields if f.path not in settled):
            for said in sayable(field, session.values):
                if said in top.said:
                    continue
                if session.steps >= until:
                    return top, pay
                other = top.with_value(said)
                row = fly_habit(session, other.habit(), tasks)
                if worth(row) > pay + GAIN:
                    top, pay = other, worth(row)
    return top, pay


def sayable(field: ActionField, values: LeafValues) -> Iterator[FieldValue]:
    """What a field may say in a climb, the plainest first."""
    for value in choices(field, values):
        yield FieldValue(field, Kind.CONSTANT, shortened(value), value)
    if free_text(field.schema, field.root) is None:
        return
    yield nonsense(field)
    for name, text in wordings(values.get(field.name, ())):
        yield FieldValue(field, Kind.WORDS, name, text)
    yield FieldValue(field, Kind.SHOTGUN, ALL_SEEN, "", lambda view, last: all_seen(view))
