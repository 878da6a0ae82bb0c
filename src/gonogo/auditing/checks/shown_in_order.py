"""Answers that are handed out as a list: what is to be done, in its order.

The state may tell a ``solution`` of moves, an ``order`` of numbers, or a plan of whole actions. Each entry is sent, one
a step: in one field, alone or beside a choice of another one; in the fields that the entry itself names; or word after
word in the fields that take them, as ``press:3`` is a verb and a number. Then comes an action that ends the episode, or
idle's until it ends. It is held against another case's list and against its own entries the other way round: if their
order does not matter, and an agent sees the things that are listed, then whoever does all that is there does as well.

A list that an agent is meant to read is no secret: see :mod:`gonogo.auditing.checks.seen_orders`. Nor is one that an
agent may ask for first, and earns as much. Of the observation's own lists only those are sent whose names promise the
answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, zip_longest
from statistics import fmean

from jsonschema import Draft202012Validator

from gonogo.auditing.checks.beginnings import Beginnings
from gonogo.auditing.checks.handed_out import (
    HANDED,
    PERHAPS,
    SHIFTED,
    SURE,
    beside_each,
    best_copies,
    does_well,
    names_answer,
)
from gonogo.auditing.checks.handed_parts import fillings, sent_for
from gonogo.auditing.checks.outliers import columns, is_plain, spoken, words_of
from gonogo.auditing.checks.paid import NEARLY
from gonogo.auditing.checks.seen_orders import (
    counts_up,
    entries_of,
    is_seen_in_order,
    plain_values,
    shown_in_turn,
)
from gonogo.auditing.checks.split_values import TOKEN, SeenResets, in_turn
from gonogo.auditing.checks.told_values import Filling, Fit
from gonogo.auditing.resets import Opening, Values, is_seen, key_of, next_other, values_of
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, SurveyRow, seed_of, total
from gonogo.exploits.crossings import Chosen
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import EACH, ActionField, put
from gonogo.wire import Action, JsonSchema, JsonValue, Observation, TaskOptions

LEAST_ENTRIES = 2
MOST_ORDERS, MOST_UNNAMED, MOST_LISTS, MOST_FITS, MOST_LOOKED_AT = 32, 12, 12, 12, 200
"""Copies that are flown, those of a list whose name says nothing, lists that are tried, ways of sending an entry, and
lists of which it is asked whether they are seen."""
HALF = 0.5
"""Share of the things listed that an agent has to see for their order alone to be hidden."""
ORDERS = frozenset({
    "solution", "plan", "order", "sequence", "path", "route", "steps", "moves", "actions", "script", "program",
})  # fmt: skip
"""Words of names that say that a list is one of things to be done: those come first."""


@dataclass(frozen=True, slots=True)
class WholeEntry:
    """An entry that names the fields of the action itself.

    Attributes:
        schema: JSON schema of the action.
        base: The action around them.
    """

    schema: JsonSchema
    base: Action

    @property
    def name(self) -> str:
        """What is filled, for tables and records."""
        return "the action"

    def action(self, value: JsonValue) -> Action | None:
        """The action with those fields; None where there are none, or they do not fit."""
        fields = self.schema.get("properties", {})
        own = {n: v for n, v in value.items() if n in fields} if isinstance(value, dict) else {}
        made = {**self.base, **own}
        return made if own and Draft202012Validator(self.schema).is_valid(made) else None

    def beside(self, chosen: Chosen) -> WholeEntry | None:
        """The same beside some choices, where the entry does not name their fields itself."""
        base = self.base
        for leaf, choice in chosen:
            base = replace(leaf, base={**leaf.base, **base}).put(choice)
        return replace(self, base=base)


@dataclass(frozen=True, slots=True)
class SpelledEntry:
    """An entry of several words or values, each in the first field that takes it, those with choices before others.

    Attributes:
        fits: What each field takes.
        base: The action around them.
    """

    fits: tuple[Fit, ...]
    base: Action

    @property
    def name(self) -> str:
        """What is filled, for tables and records."""
        return ", ".join(fit.name for fit in self.fits)

    def action(self, value: JsonValue) -> Action | None:
        """The action with all of them; None where one fits nowhere."""
        words: list[JsonValue] = []
        if isinstance(value, str):
            words = [value] if self._place(value, ()) is not None else [*TOKEN.findall(value)]
        elif isinstance(value, list):
            words = value
        made, done = self.base, list[int]()
        for word in words:
            found = self._place(word, done)
            if found is None:
                return None
            place, sent = found
            made = dict(put(made, self.fits[place].field.path, sent))
            done.append(place)
        return made if done else None

    def beside(self, chosen: Chosen) -> SpelledEntry | None:
        """None: its own words choose."""

    def _place(self, word: JsonValue, done: Sequence[int]) -> tuple[int, JsonValue] | None:
        """The field that takes a word, of those that are not filled, and what is sent in it."""
        order = sorted(range(len(self.fits)), key=lambda n: not self.fits[n].choices)
        for n in order:
            if n not in done and (sent := sent_for(self.fits[n], word)) is not None:
                return n, sent
        return None


@dataclass(frozen=True, slots=True)
class HiddenOrder:
    """A list that is told.

    Attributes:
        path: Where it stands.
        column: The field of each entry that is meant; empty for the whole entry.
    """

    path: str
    column: str = ""

    @property
    def name(self) -> str:
        """For tables and records."""
        return f"{self.path}, {self.column} of each" if self.column else self.path

    def entries(self, opening: Opening) -> list[JsonValue]:
        """Its entries; nothing where it is not there."""
        return self.among(values_of(opening))

    def among(self, values: Values) -> list[JsonValue]:
        """The same, among the values of an opening by their paths."""
        return entries_of(values.get(self.path), self.column)


@dataclass(frozen=True, slots=True)
class OrderedCopy:
    """A list that is sent back, an entry a step.

    Attributes:
        told: The list.
        fit: What is sent for an entry.
        beside: The choices beside it; empty where there are none.
        end: What is sent at last; None for idle's.
    """

    told: HiddenOrder
    fit: Filling
    beside: str
    end: Action | None

    @property
    def name(self) -> str:
        """For tables and records; it begins as :attr:`AnswerCopy.name` of the same list does."""
        beside = f" beside {self.beside}" if self.beside else ""
        then = "" if self.end is None else f", then {self.end}"
        return f"{self.fit.name}: the items of {self.told.name} sent back{beside}, one a step{then}"

    def plan(self, entries: Sequence[JsonValue], idle: Action) -> list[Action]:
        """What is sent for some entries; nothing where one fits nowhere."""
        found = [self.fit.action(entry) for entry in entries]
        sent = [action for action in found if action is not None]
        last = idle if self.end is None else self.end
        return [*sent, last] if len(sent) == len(found) >= LEAST_ENTRIES else []

    def row(
        self, session: AuditSession, tasks: Sequence[TaskOptions], change: str = ""
    ) -> SurveyRow:
        """The list, sent back; or a control.

        Args:
            session: Where.
            tasks: Reset options.
            change: What is sent instead, one of :data:`CHANGES`.
        """

        def again(session: AuditSession, tasks: Sequence[TaskOptions], _: Survey) -> SurveyRow:
            return self.row(session, tasks, change)

        openings = [opening for opening in session.openings(tasks) if opening is not None]
        lists, idle = [self.told.entries(o) for o in openings], session.space.idle()
        if change == OTHER_CASE:
            lists = [next_other(lists, n) or [] for n in range(len(lists))]
        elif change == OTHER_ORDER:
            lists = [reordered(entries) for entries in lists]
        plans = [
            (opening.task, plan)
            for opening, entries in zip(openings, lists, strict=True)
            if (plan := self.plan(entries, idle))
            and len(plan) <= session.limit + (self.end is None)
        ]
        name = f"{self.name}, {change}" if change else self.name
        episodes = session.plans(name, plans)
        kind, about = (SHIFTED, self.name) if change else (kind_of(self.told.path), None)
        context = self.fit.base if self.beside else None
        return SurveyRow(
            name, kind, episodes, self.fit.name, context=context, about=about, again=again
        )


OTHER_CASE, OTHER_ORDER = "with another case's list", "the other way round"
"""What is sent instead of a list, to hold it against."""


def kind_of(path: str) -> str:
    """The kind of a copy's row: handed out for sure, or perhaps, by a name that may mean something else."""
    sure = not is_seen(path) or SURE & set(words_of(path.rpartition(".")[2]))
    return HANDED if sure else PERHAPS


def reordered(entries: Sequence[JsonValue]) -> list[JsonValue]:
    """The entries the other way round; from the second on, where that is the same; none where that is, too."""
    ways = ([*reversed(entries)], [*entries[1:], *entries[:1]])
    return next((each for each in ways if key_of(each) != key_of([*entries])), [])


def promises_order(path: str) -> bool:
    """Whether a list's name promises the answer, also where it names several, as ``expected_actions``."""
    return names_answer(path) or names_answer(path.removesuffix("s"))


def told_orders(openings: Sequence[Opening], most: int) -> list[HiddenOrder]:
    """The lists that every reset tells and that differ, beside the task or by a name that promises the answer.

    Args:
        openings: The resets.
        most: Entries that an episode has room for.
    """
    found: list[HiddenOrder] = []
    held, resets = [values_of(opening) for opening in openings], SeenResets(openings)
    paths = (path for path in held[0] if not is_seen(path) or promises_order(path))
    lists_of = ((path, held[0][path]) for path in paths if len(entries_of(held[0][path])) > 1)
    for path, value in islice(lists_of, MOST_LOOKED_AT):
        entries = value if isinstance(value, list) else []
        objects = [field for field, _ in columns(entries) if field]
        for told in [HiddenOrder(path), *(HiddenOrder(path, field) for field in objects)]:
            lists = [told.among(values) for values in held]
            fit = all(LEAST_ENTRIES <= len(entries) <= most for entries in lists)
            if not fit or len(set(map(key_of, lists))) == 1 or all(map(counts_up, lists)):
                continue
            whole = [values.get(path) for values in held]
            if is_seen(path) or not is_seen_in_order(whole, lists, resets):
                found.append(told)
    found.sort(key=lambda told: (not promises_order(told.path), not names_order(told.path)))
    return found


def names_order(path: str) -> bool:
    """Whether a name says that a list is one of things to be done."""
    return bool(ORDERS & set(words_of(path.rpartition(".")[2])))


def ways_to_send(
    lists: Sequence[list[JsonValue]], session: AuditSession
) -> Iterator[tuple[Filling, str]]:
    """What may be sent for an entry, each with the choices beside it: what takes each entry of every seed.

    Args:
        lists: The entries on each seed.
        session: Where.
    """
    space, known, every = session.space, session.values, [*chain(*lists)]
    leaves = [leaf for leaf in space.leaves() if EACH not in leaf.path]
    kinds: list[Filling] = []
    if all(isinstance(entry, dict) for entry in every):
        kinds.append(WholeEntry(session.schemas.action, space.idle()))
    if all(map(is_plain, every)):
        kinds += [fit for leaf in leaves for fit in Fit.ways(leaf, known.get(leaf.name, ()))]
    if all(isinstance(entry, str | list) for entry in every):
        kinds += [
            SpelledEntry(tuple(Fit.of(leaf, ()) for leaf in some), some[0].base)
            for some in by_tool(leaves)
        ]
    if not all(map(is_plain, every)) or any(isinstance(entry, str) for entry in every):
        kinds += islice(fillings(every, space, known), MOST_FITS)
    takes = [kind for kind in kinds if all(kind.action(entry) is not None for entry in every)]
    for kind in takes:
        yield kind, ""
    for some in zip_longest(*(beside_each(kind, space) for kind in takes)):
        yield from (each for each in some if each is not None)


def by_tool(leaves: Sequence[ActionField]) -> list[list[ActionField]]:
    """The outermost fields of each tool."""
    outer = [leaf for leaf in leaves if len(leaf.path) == min(len(o.path) for o in leaves)]
    tools = dict.fromkeys(leaf.tool for leaf in outer)
    return [[leaf for leaf in outer if leaf.tool == tool] for tool in tools]


def ordered_copies(start: Beginnings, orders: Sequence[HiddenOrder]) -> Iterator[OrderedCopy]:
    """The copies of all lists, the first of each before the second of any.

    Args:
        start: The resets, and what may be sent at last.
        orders: The lists.
    """
    session, openings, ends = start.session, start.openings, start.looks.ends

    def of(told: HiddenOrder) -> Iterator[OrderedCopy]:
        lists = [told.entries(opening) for opening in openings]
        for fit, beside in ways_to_send(lists, session):
            for end in (None, *ends):
                yield OrderedCopy(told, fit, beside, end)

    ways = [
        of(told)
        if names_order(told.path) or promises_order(told.path)
        else islice(of(told), MOST_UNNAMED)
        for told in orders
    ]
    known: set[str] = set()
    for some in zip_longest(*ways):
        for copy in filter(None, some):
            plans = [copy.plan(copy.told.entries(o), session.space.idle()) for o in openings]
            if all(plans) and (key := key_of([*map(list, plans)])) not in known:
                known.add(key)
                yield copy


def order_rows(
    start: Beginnings, flown: Survey, explored: Sequence[Episode] = ()
) -> Iterator[SurveyRow]:
    """The rows of a list that earns the best that is known, with what it has to be compared with.

    Args:
        start: How the episodes of a row begin.
        flown: The survey.
        explored: What else was flown.
    """
    limit = start.session.limit
    if not start.complete or not (told := told_orders(start.openings, limit)):
        return  # before the resets are made again, which start.dropped asks for
    orders = [each for each in told if each.path not in start.dropped][:MOST_LISTS]
    copies = islice(ordered_copies(start, orders), MOST_ORDERS) if orders else ()
    for each in best_copies(start, flown, explored, copies):
        if isinstance(each, SurveyRow):
            yield each
        elif does_well(each.row, each.known) and not is_open(start, each.copy, each.row):
            yield from controls(start, each.copy)
            yield each.row
            return


def is_open(start: Beginnings, copy: OrderedCopy, row: SurveyRow) -> bool:
    """Whether an agent reads a list as it goes, or asks for it first and earns as much: then it is no secret.

    Args:
        start: How the episodes begin.
        copy: The list, sent back.
        row: What it came to.
    """
    if is_seen(copy.told.path):
        return False
    session, mine = start.session, {seed_of(e.task): total(e) for e in row.ended}
    openings = [opening for opening in start.openings if seed_of(opening.task) in mine]
    lists, idle = [copy.told.entries(opening) for opening in openings], session.space.idle()
    plans = [(o.task, copy.plan(each, idle)) for o, each in zip(openings, lists, strict=True)]
    flown = session.plans(f"{copy.name}, seen", plans, whole=True)
    if shown_in_turn([seen_in(e) for e in flown], lists):
        return True
    for ask, seen in start.looks.asks:
        asked = [
            (task, [*chain(*([ask, action] for action in plan[: len(each)])), *plan[len(each) :]])
            for (task, plan), each in zip(plans, lists, strict=True)
        ]
        flown = session.plans("asked for each", asked, whole=True)
        told = shown_in_turn([seen_in(e)[1::2] for e in flown], lists)
        if told and all(total(e) >= NEARLY * mine[seed_of(e.task)] for e in flown):
            return True
        words = words_of(" ".join(spoken(seen)))
        if not in_turn(words, [*chain(*map(plain_values, lists[0]))]):
            continue
        flown = session.plans("asked for first", [(task, [ask, *plan]) for task, plan in plans])
        if all(e.error is None and total(e) >= NEARLY * mine[seed_of(e.task)] for e in flown):
            return True
    return False


def seen_in(episode: Episode) -> list[Observation]:
    """What was seen before each action."""
    return [turn.observation for turn in episode.turns]


def controls(start: Beginnings, copy: OrderedCopy) -> Iterator[SurveyRow]:
    """What a list is held against: another case's, and its own the other way round where an agent sees the things."""
    yield copy.row(start.session, start.tasks, OTHER_CASE)
    lists = [copy.told.entries(opening) for opening in start.openings]
    if any(map(reordered, lists)) and are_seen(lists, start.openings):
        yield copy.row(start.session, start.tasks, OTHER_ORDER)


def are_seen(lists: Sequence[list[JsonValue]], openings: Sequence[Opening]) -> bool:
    """Whether an agent sees half of the things that are listed, wherever: then only their order may be hidden.

    Args:
        lists: The entries on each seed.
        openings: The resets.
    """
    found = []
    for entries, opening in zip(lists, openings, strict=True):
        words = words_of(" ".join(spoken(opening.observation)))
        found += [in_turn(words, [*spoken(entry)][-1:]) for entry in entries]
    return fmean(found) >= HALF
