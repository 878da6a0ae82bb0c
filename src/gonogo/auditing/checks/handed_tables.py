"""Answers that are handed out as a table: of each thing that is seen, what is to be sent for it.

A value of the state alone is sent back by :mod:`gonogo.auditing.checks.handed_out`. A mapping from names to values, or
a list of records, is more than one answer: each name that is seen is sent once, with the value that the table has for
it, and then an action that ends the episode. Where the observation shows a table of the same names that differs in the
lesser part of them, only those are sent for which it shows another value. It is held against the same names with each
other's values: which belongs to which has to matter. A table is left out that the observation shows, or tells in words,
or that a single action shows whole; and if an agent that asks for each value first earns as much.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest

from gonogo.auditing.checks.beginnings import Beginnings
from gonogo.auditing.checks.handed_out import (
    HANDED,
    MOST_COPIES,
    SHIFTED,
    best_copies,
    does_well,
)
from gonogo.auditing.checks.outliers import columns, entries_in, names_of, words_of
from gonogo.auditing.checks.paid import NEARLY
from gonogo.auditing.checks.sweeps import MOST_NAMED, PLACES, places_of
from gonogo.auditing.checks.told_values import Fit, fits_in, holds
from gonogo.auditing.resets import Opening, inside, is_seen, key_of, next_other, values_of
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, SurveyRow, seed_of, total
from gonogo.exploits.crossings import around, fits, named, single_choices
from gonogo.exploits.panel import values_in
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import EACH, ActionField, Space, put
from gonogo.wire import Action, JsonValue, Observation, TaskOptions

LEAST_PAIRS, MOST_QUESTIONS = 2, 3
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
"""What stands between the digits of a number for the eye alone."""
MOST_TOLD = 0.5
"""Share of a table that is told in words, from which it is not hidden."""

NamedValues = Mapping[str, tuple[JsonValue, JsonValue]]
"""Names with their values, by the names' keys."""


def tables_of(values: Mapping[str, JsonValue]) -> dict[str, NamedValues]:
    """The tables among some values: of each name its value, by what the table is called.

    Args:
        values: Values by their paths, as an opening has them.
    """
    found: dict[str, NamedValues] = {}
    for path, value in values.items():
        if not isinstance(value, dict | list) or not LEAST_PAIRS <= len(value) <= MOST_NAMED:
            continue
        for field, column in columns(entries_in(value)):
            for among, names in names_of(path, value):
                own = among == f"{field} in {path}" or among.startswith(("item of ", PLACES))
                if not own and len(set(map(key_of, names))) == len(names):
                    pairs = zip(names, column, strict=True)
                    what = f"{field or 'the value'} of each {among}"
                    found[what] = {key_of(name): (name, v) for name, v in pairs}
    return found


@dataclass(frozen=True, slots=True)
class HandedTable:
    """A table that is sent back, name after name.

    Attributes:
        what: What the table is called.
        place: What names a thing, beside choices.
        fit: What is sent for its value.
        beside: The choices beside both; empty where there are none.
        end: What is sent at last; None where no single action ends an episode.
    """

    what: str
    place: ActionField
    fit: Fit
    beside: str
    end: Action | None

    @property
    def name(self) -> str:
        """For tables and records."""
        beside = f" beside {self.beside}" if self.beside else ""
        then = "" if self.end is None else f", then {self.end}"
        return f"{self.fit.field.name}: {self.what} sent back{beside}{then}"

    def row(
        self, session: AuditSession, tasks: Sequence[TaskOptions], *, others: bool = False
    ) -> SurveyRow:
        """The table, sent back; or each name with the value of another."""

        def again(session: AuditSession, tasks: Sequence[TaskOptions], _: Survey) -> SurveyRow:
            return self.row(session, tasks, others=others)

        plans = [
            (opening.task, plan)
            for opening in session.openings(tasks)
            if opening is not None and (plan := self.plan(opening, others=others))
            if len(plan) <= session.limit
        ]
        name = f"{self.name}, with each other's values" if others else self.name
        episodes = session.plans(name, plans)
        kind, about = (SHIFTED, self.name) if others else (HANDED, None)
        field, context = self.fit.field.name, self.place.base
        return SurveyRow(name, kind, episodes, field, context=context, about=about, again=again)

    def plan(self, opening: Opening, *, others: bool) -> list[Action]:
        """What is sent after a reset; empty where it tells nothing that fits.

        Args:
            opening: The reset.
            others: Whether each name goes with the value of another.
        """
        pairs = hidden_pairs(self.what, opening)
        names, values = [name for name, _ in pairs], [value for _, value in pairs]
        if others:
            values = [different(values, n) for n in range(len(values))]
        sent = [self.fit.sent(value) for value in values]
        takes = fits_in(self.place)
        if len(names) < 1 or None in sent or not all(map(takes, names)):
            return []
        last = [] if self.end is None else [self.end]
        pairs = list(zip(names, sent, strict=True))
        return [*(self._action(name, value) for name, value in pairs), *last]

    def _action(self, name: JsonValue, value: JsonValue) -> Action:
        """A name with a value."""
        return dict(put(self.place.put(name), self.fit.field.path, value))


def different(values: Sequence[JsonValue], place: int) -> JsonValue:
    """The next value after a place, in a circle, that differs from the one there; else one that is near it."""
    near, other = values[place], next_other(values, place)
    whole = isinstance(near, int) and not isinstance(near, bool)
    return near + 1 if other is None and whole else other


def hidden_pairs(what: str, opening: Opening) -> list[tuple[JsonValue, JsonValue]]:
    """The names of a table that are seen, with their values: those that are shown otherwise, where some are.

    Args:
        what: What the table is called.
        opening: A reset.

    Returns:
        Nothing for a table that is seen, or told in words.
    """
    table = tables_of(hidden_of(opening)).get(what, {})
    seen = inside(opening.observation)
    shown = tables_of(seen)
    if shows(opening.observation, table):
        return []
    beside = [
        {name: value for name, (_, value) in other.items()}
        for other in shown.values()
        if other.keys() >= table.keys()
    ]
    keys = {
        key
        for held in [opening.observation, *seen.values()]
        if isinstance(held, dict)
        for key in held
    }
    texts = keys | set(values_in(opening.observation))
    pairs = [(name, v) for name, v in table.values() if str(name) in texts]
    if len(pairs) < len(table) or in_text(pairs, opening):
        return []
    kinds = [o for o in beside if all(type(o[n]) is type(v) for n, (_, v) in table.items())]
    for other in kinds:
        differ = [(name, v) for name, v in pairs if key_of(other[key_of(name)]) != key_of(v)]
        if len(differ) < len(pairs) / 2 + 1:
            return differ
    return pairs


def shows(observation: Observation, table: NamedValues) -> bool:
    """Whether a table is seen whole, whatever it is called."""
    return any(
        all(n in other and key_of(other[n][1]) == key_of(v) for n, (_, v) in table.items())
        for other in tables_of(inside(observation)).values()
    )


def in_text(pairs: Sequence[tuple[JsonValue, JsonValue]], opening: Opening) -> bool:
    """Whether what is seen says in words much of a table: a line, or a record, that holds a name and its value."""
    lines: list[list[str]] = []
    for path, value in inside(opening.observation).items():
        if isinstance(value, str):
            lines += [words_of(f"{path} {line}") for line in value.splitlines()]
        elif isinstance(value, list):
            records = (record for record in value if isinstance(record, dict))
            lines += [words_of(" ".join(values_in(record))) for record in records]
    said = sum(
        any(holds(line, words_of(str(name))) and holds(line, words_of(str(v))) for line in lines)
        for name, v in pairs
    )
    return said >= MOST_TOLD * len(pairs)


def handed_tables(start: Beginnings) -> Iterator[HandedTable]:
    """The tables that each reset hides and tells, in each two places of an action that take their names and values.

    Args:
        start: The resets, and what may be sent at last.
    """
    session, openings, ends = start.session, start.openings, start.looks.ends
    hidden = [
        {path: value for path, value in hidden_of(o).items() if path not in start.dropped}
        for o in openings
    ]
    common = [what for what in tables_of(hidden[0]) if all(what in tables_of(h) for h in hidden)]

    def fits_all(handed: HandedTable) -> bool:
        return all(handed.plan(opening, others=False) for opening in openings)

    def ways(what: str) -> Iterator[HandedTable]:
        if not all(hidden_pairs(what, opening) for opening in openings):
            return
        for place, leaf, beside in two_places(session.space):
            handed = (
                HandedTable(what, place, fit, beside, end)
                for end in ends or (None,)
                for fit in Fit.ways(leaf, session.values.get(leaf.name, ()))
            )
            yield from islice(filter(fits_all, handed), len(ends) or 1)

    for some in zip_longest(*map(ways, common)):
        yield from (handed for handed in some if handed is not None)


def two_places(space: Space) -> Iterator[tuple[ActionField, ActionField, str]]:
    """Each two places of one action, alone and beside each choice of another place."""
    leaves = [leaf for leaf in space.leaves() if EACH not in leaf.path]
    for chosen in reversed([(), *single_choices(space)]):
        for one in leaves:
            for other in leaves:
                apart = one.path != other.path and one.tool == other.tool
                same = one.base.keys() <= other.base.keys()
                if apart and same and fits(chosen, one) and fits(chosen, other):
                    yield around(chosen, one), other, named(chosen)


def table_rows(
    start: Beginnings, flown: Survey, explored: Sequence[Episode] = ()
) -> Iterator[SurveyRow]:
    """Rows of the tables that earn the best that is known, each with what it has to be compared with.

    Args:
        start: How the episodes of a row begin.
        flown: The survey.
        explored: What else was flown.
    """
    session, openings = start.session, start.openings
    if not start.complete or not any(map(tables_of, map(hidden_of, openings))):
        return
    tables = tables_of(hidden_of(openings[0])).items()
    asked = {what for what, table in tables for _, seen in start.looks.asks if shows(seen, table)}
    found = islice(handed_tables(start), MOST_COPIES)
    unasked = (handed for handed in found if handed.what not in asked)
    for each in best_copies(start, flown, explored, unasked):
        if isinstance(each, SurveyRow):
            yield each
            continue
        told, row = each.copy, each.row
        if does_well(row, each.known) and not can_be_asked(session, told, row, openings):
            yield told.row(session, start.tasks, others=True)
            yield row
            return


def can_be_asked(
    session: AuditSession, handed: HandedTable, row: SurveyRow, openings: Sequence[Opening]
) -> bool:
    """Whether an agent may ask for each value and then send it, and earns as much: then the table is no secret.

    Args:
        session: Where.
        handed: The table.
        row: The table, sent back without a question.
        openings: The resets that tell it.
    """
    mine = {seed_of(e.task): total(e) for e in row.ended}
    for place in islice(questions(session, handed, openings[0]), MOST_QUESTIONS):
        plans = [
            (o.task, [*(place.put(name) for name, _ in pairs), *handed.plan(o, others=False)])
            for o in openings
            if seed_of(o.task) in mine and (pairs := hidden_pairs(handed.what, o))
        ]
        asked = session.plans("each value asked for first", plans)
        well = (e.error is None and total(e) >= NEARLY * mine[seed_of(e.task)] for e in asked)
        if asked and all(well):
            return True
    return False


def questions(
    session: AuditSession, handed: HandedTable, opening: Opening
) -> Iterator[ActionField]:
    """The places of an action that answer a table's first two names with their values, and go on."""
    pairs, before = hidden_pairs(handed.what, opening)[:2], set(values_in(opening.observation))
    for place, _ in places_of(session.space):
        if not all(map(fits_in(place), (name for name, _ in pairs))):
            continue
        plans = [(opening.task, [place.put(name)]) for name, _ in pairs]
        answers = session.plans("one question", plans, whole=True, turns=1)
        if all(
            e.error is None
            and not e.turns[-1].done
            and holds(
                words_of(THOUSANDS.sub("", " ".join(set(values_in(e.final_observation)) - before))),
                words_of(str(value)),
            )
            for e, (_, value) in zip(answers, pairs, strict=True)
        ):
            yield place


def hidden_of(opening: Opening) -> dict[str, JsonValue]:
    """What an opening tells beside the observation."""
    return {path: value for path, value in values_of(opening).items() if not is_seen(path)}
