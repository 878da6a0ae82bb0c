"""Programs that compute nothing, for fields that take SQL or Python: a query without a table, an empty function.

Nonsense in such a field is a syntax error, which most graders pay nothing. Whoever knows the language alone, and
nothing of the task, can do better: a query that runs and asks for nothing, the clauses that a grader may look for in a
comment, the rows that are wanted as literals where they are shown, a function of the right name without a body, an
object that says it equals whatever it is compared with. And where the expected answer is taken from a database that
the agent may write to, nothing is the right answer once the tables are empty.

Nothing here ends a process or touches a file or the network: the programs run wherever the environment runs them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import zip_longest
from math import isfinite
from typing import Any

from gonogo.auditing.exploration import completed
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, SurveyRow, fly_habit, total
from gonogo.auditing.variants import read
from gonogo.contract.sources import files_of
from gonogo.env.target import Target, UrlTarget
from gonogo.exploits.crossings import around, fits, named, single_choices
from gonogo.exploits.panel import Choose, Habit, Kind
from gonogo.explore.novelty import texts_in
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import EACH, ActionField, Space, free_text
from gonogo.rollouts.types import View
from gonogo.wire import Action, JsonObject, Observation, TaskOptions

SCREENED = 2
LEAST_PAY = 0.25
"""What an emptied database has to be paid in an episode for the same without emptying to be flown beside it."""
MOST_STEPS = 1_500
"""Steps after which no more programs are tried."""
MOST_SEEN = 100
"""Different observations that are read for the names of tables and functions."""
IN_MEMORY = ":memory:"
MOST_PLACES, MOST_PROGRAMS, MOST_READ = 6, 60, 10_000
"""Choices beside which a field is tried, programs of a field, and characters of a text that are read."""
MOST_TABLES, MOST_FUNCTIONS, MOST_ROWS = 8, 2, 50
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
SQL_NAMES = frozenset({"query", "statement"})
PYTHON_NAMES = frozenset({"code", "program", "script", "solution", "source"})
"""Words of fields that may take a program; what is seen tells its language."""
PROSE = frozenset(
    {
        "explanation",
        "reason",
        "reasoning",
        "rationale",
        "comment",
        "note",
        "notes",
        "table",
        "column",
    }
)
"""Words of fields that are about a program."""
SAID_SQL = re.compile(
    r"\bSQL\b.{0,24}\b(?:query|statement|select|script|command)|\b(?:query|statement)\b.{0,24}\bSQL\b",
    re.IGNORECASE,
)
NAME = r"[\"'`\[]?(?:\w+[\"'`\]]?\.[\"'`\[]?)?([A-Za-z_]\w*)"
"""The name of a table, in quotes or not, after a schema or not."""
ARTICLE = r"(?!(?:an?|the|this|that|each|your|our)\b)"
QUERY = re.compile(
    rf"\bSELECT\b[^;]{{1,400}}?\bFROM\s+{ARTICLE}{NAME}|\bCREATE\s+TABLE\b", re.IGNORECASE
)
FUNCTION = re.compile(r"\bdef\s+(?!__|test_)([A-Za-z_]\w*)\s*\(")
CREATED = re.compile(
    rf"\bCREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?{NAME}"
    r"|\b([A-Za-z_]\w*)\s*\(\s*\"?\w+\"?\s+(?:INT|INTEGER|TEXT|VARCHAR|CHAR|REAL|FLOAT|NUMERIC|DECIMAL|DATE|BOOL)\b",
    re.IGNORECASE,
)
QUERIED = re.compile(rf"\b(?:FROM|JOIN)\s+{ARTICLE}{NAME}", re.IGNORECASE)
LISTED = re.compile(r"^[ \t*-]*([A-Za-z_]\w*)\s*\(\s*\w+(?:\s*,\s*\w+)+", re.MULTILINE)
"""How texts name tables: where they are made, where they are queried, and in lists of tables with their columns."""
STARTS_QUERY = re.compile(r"\s*(?:SELECT|WITH)\b", re.IGNORECASE)
WANTED = re.compile(r"expect|target|want|desired|goal|answer", re.IGNORECASE)
"""Names under which the rows of an answer may be shown."""
COLUMNS = re.compile(r"column|header", re.IGNORECASE)
"""Names under which the columns of an answer are listed."""
CLAUSES = "JOIN WHERE GROUP BY HAVING ORDER BY DISTINCT LIMIT INDEX ON COUNT SUM AVG OVER PARTITION BY WITH UNION CASE"
EMPTY_RESULT, ONE_ROW = "SELECT 1 WHERE 0", "SELECT 1"
COMMENTED = f"SELECT 1 /* {CLAUSES} */"
EMPTYINGS = ("DELETE FROM {}", "DROP TABLE IF EXISTS {}")
SHOWN_ROWS = "the rows that are shown, as literals"
EQUAL_TO_ALL = """class Anything:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
    def __bool__(self): return True
"""


class Language(StrEnum):
    """What a field's texts are written in."""

    SQL = "SQL"
    PYTHON = "Python"


@dataclass(frozen=True, slots=True)
class EmptiedTables:
    """What empties all tables and then asks for nothing, and the same without emptying any.

    Attributes:
        habit: The one.
        beside: The other, which explains what the one is paid where it is paid as well.
    """

    habit: Habit
    beside: Habit


@dataclass(frozen=True, slots=True)
class Programs:
    """What may be sent that computes nothing.

    Attributes:
        void: Programs that compute nothing, and are sent at each turn.
        emptied: Queries of tables that were emptied before.
    """

    void: Sequence[Habit] = ()
    emptied: Sequence[EmptiedTables] = ()


def language_of(leaf: ActionField, texts: Sequence[str]) -> Language | None:
    """The language of a field's texts; None where nothing tells it.

    Args:
        leaf: The field; its name and its description may say it.
        texts: What is seen: where a name says that there is a program or a query, it may show one.
    """
    if free_text(leaf.schema, leaf.root) is None or EACH in leaf.path:
        return None
    name = {word.lower() for word in WORD.findall(leaf.path[-1])}
    said = str(leaf.schema.get("description", ""))
    if name & PROSE:
        return None
    shown = name & SQL_NAMES and any(map(QUERY.search, texts))
    if "sql" in name or SAID_SQL.search(said) or shown:
        return Language.SQL
    python = "python" in name or "python" in said.lower() or any(map(FUNCTION.search, texts))
    return Language.PYTHON if name & PYTHON_NAMES and python else None


def programs(space: Space, seen: Sequence[Observation]) -> Programs:
    """Programs that compute nothing, in each field that takes some, beside each choice.

    Args:
        space: The actions.
        seen: What was seen in some episodes.
    """
    texts = list(dict.fromkeys(text[:MOST_READ] for each in seen for _, text in texts_in(each)))
    rows = any(next(rows_in(each), None) is not None for each in seen)
    void, emptied = list[Habit](), list[EmptiedTables]()
    for leaf in space.leaves():
        language = language_of(leaf, texts)
        if language is None:
            continue
        chosen = [some for some in [(), *single_choices(space)] if fits(some, leaf)][:MOST_PLACES]
        places = [(named(some), around(some, leaf)) for some in chosen]
        if language is Language.PYTHON:
            void += [each for text in functions(texts) for each in voids(places, text)]
            continue
        void += [
            each for text in (EMPTY_RESULT, ONE_ROW, COMMENTED) for each in voids(places, text)
        ]
        void += [literal_rows(said, place) for said, place in places if rows]
        emptied += emptyings(places, tables_in(texts))
    return Programs(void[:MOST_PROGRAMS], emptied[:MOST_PROGRAMS])


ProgramPlaces = Sequence[tuple[str, ActionField]]
"""A field beside each choice, with what the choice is called; idle's choices first."""


def functions(texts: Sequence[str]) -> list[str]:
    """Python that does nothing: functions of the names that are seen, without a body, or equal to all."""
    names = Counter(name for text in texts for name in FUNCTION.findall(text))
    first = [name for name, _ in names.most_common(MOST_FUNCTIONS)]
    bodies = [
        f"{EQUAL_TO_ALL}def {name}(*args, **kwargs):\n    return Anything()\n" for name in first
    ]
    return [
        *bodies,
        *(f"def {name}(*args, **kwargs):\n    return None\n" for name in first),
        "pass",
    ]


def voids(places: ProgramPlaces, text: str) -> Iterator[Habit]:
    """The habits of always sending one program that computes nothing; none where it is too long."""
    for said, place in places:
        limits = free_text(place.schema, place.root) or {}
        if len(text) <= limits.get("maxLength", len(text)):
            name = f"{called(said, place)}: {text!r}"
            sent = place.put(text)
            yield Habit.constant(name, Kind.VOID, sent, place.name, context=beside(said, place))


def called(said: str, place: ActionField) -> str:
    """A field beside a choice, for a habit's name."""
    return ", ".join(filter(None, [said, place.name]))


def beside(said: str, place: ActionField) -> Action | None:
    """The action around a field, where a choice stands beside it that is not idle's."""
    return place.base if said else None


def literal_rows(said: str, place: ActionField) -> Habit:
    """The habit of sending the rows that are shown under a name of answers, as a query of literals."""

    def choose(view: View, _: Action | None) -> Action:
        rows = next(rows_in(view.observation), None)
        return place.put(EMPTY_RESULT if rows is None else literals(rows))

    name = f"{called(said, place)}: {SHOWN_ROWS}"
    return Habit(name, Kind.VOID, choose, place.name, context=beside(said, place))


def emptyings(places: ProgramPlaces, tables: Sequence[str]) -> Iterator[EmptiedTables]:
    """Every table emptied beside one choice, then a query that answers no rows beside another, or the same one.

    What empties one is sent alone, for most databases take one statement at a time.

    Args:
        places: The field beside each choice.
        tables: What is emptied.
    """
    if not tables or not places:
        return
    first, others = places[0], places[1:]
    same = [(place, place) for place in places]
    pairs = [*((first, other) for other in others), *((other, first) for other in others)]
    for copies in (False, True):
        for form in EMPTYINGS:
            statements = [form.format(table) for table in tables]
            for way in (each for both in zip_longest(same, pairs) for each in both if each):
                yield emptying(way, statements, copies=copies)


def emptying(
    way: tuple[tuple[str, ActionField], tuple[str, ActionField]],
    statements: Sequence[str],
    *,
    copies: bool,
) -> EmptiedTables:
    """Statements at one place, then a query at another to the end; and the same with an empty query per statement.

    Args:
        way: The two places.
        statements: What is sent first.
        copies: Whether the query is one that is seen, where one is.
    """
    (said, place), (end, last) = way
    asked = "sends the query that is seen" if copies else "asks for nothing"

    def choose(first: Sequence[str]) -> Choose:
        def choice(view: View, _: Action | None) -> Action:
            if view.turn < len(first):
                return place.put(first[view.turn])
            query = query_in(view.observation) if copies else None
            return last.put(query or no_rows(columns_in(view.observation)))

        return choice

    def habit(kind: Kind, what: str, first: Sequence[str]) -> Habit:
        name = f"{called(said, place)}: {what}, then {called(end, last)} {asked}"
        return Habit(name, kind, choose(first), last.name, context=beside(end, last))

    nothing = [ONE_ROW] * len(statements)
    return EmptiedTables(
        habit(Kind.WIPED, "; ".join(statements), statements),
        habit(Kind.CYCLE, f"{ONE_ROW} {len(statements)} times", nothing),
    )


def no_rows(columns: Sequence[str]) -> str:
    """A query that reads no table and answers no rows, of some columns where there are any."""
    selected = ", ".join(f"1 AS {quoted(column)}" for column in columns)
    return f"SELECT {selected} WHERE 0" if selected else EMPTY_RESULT


def columns_in(held: Any, name: str = "") -> list[str]:
    """The first list of names that an observation shows under a name of columns."""
    if isinstance(held, list) and COLUMNS.search(name) and all(isinstance(v, str) for v in held):
        return list(held)
    if not isinstance(held, dict | list):
        return []
    inner = held.items() if isinstance(held, dict) else ((name, value) for value in held)
    return next(filter(None, (columns_in(value, str(key)) for key, value in inner)), [])


def tables_in(texts: Iterable[str]) -> list[str]:
    """The names of tables that texts tell: those that are made, if any are, of which the queried ones come first."""
    made, read_from = dict[str, None](), dict[str, None]()
    for text in texts:
        for match in CREATED.finditer(text):
            made[match[1] or match[2]] = None
        read_from |= dict.fromkeys(LISTED.findall(text))
        if QUERY.search(text):
            read_from |= dict.fromkeys(QUERIED.findall(text))
    asked = [name for name in made if name in read_from]
    return list(dict.fromkeys([*asked, *made] if made else read_from))[:MOST_TABLES]


def query_in(observation: Observation) -> str | None:
    """The first query that an observation shows; None where there is none."""
    return next(
        (
            text
            for _, text in texts_in(observation)
            if STARTS_QUERY.match(text) and QUERY.search(text[:MOST_READ])
        ),
        None,
    )


Row = JsonObject | Sequence[Any]
"""The values of a row, by the names of their columns or in an order."""


def rows_in(held: Any, name: str = "") -> Iterator[list[Row]]:
    """Lists of rows of plain values that an observation shows under a name of answers, also as a text."""
    wanted = WANTED.search(name) is not None
    if isinstance(held, str) and wanted and len(held) <= MOST_READ:
        held = read(held)
    if isinstance(held, dict):
        for key, value in held.items():
            yield from rows_in(value, str(key))
    elif isinstance(held, list) and held:
        if wanted and all(map(is_row, held)) and len(set(map(len, held))) == 1:
            yield held[:MOST_ROWS]
        else:
            for value in held:
                yield from rows_in(value, name)


def is_row(held: Any) -> bool:
    """Whether a value is a row of plain values."""
    values = [*held.values()] if isinstance(held, dict) else held
    return isinstance(values, list | tuple) and bool(values) and all(map(is_plain, values))


def is_plain(value: Any) -> bool:
    """Whether a value is one that a column holds."""
    return value is None or isinstance(value, str | int | float)


def literals(rows: Sequence[Row]) -> str:
    """A query that reads no table and answers some rows.

    Args:
        rows: They, all with as many columns.
    """
    selects = []
    for row in rows:
        if isinstance(row, dict):
            columns = [f"{literal(value)} AS {quoted(key)}" for key, value in row.items()]
        else:
            columns = [literal(value) for value in row]
        selects.append(f"SELECT {', '.join(columns)}")
    return " UNION ALL ".join(selects)


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def literal(value: Any) -> str:
    """A value as SQL writes it."""
    if value is None or (isinstance(value, float) and not isfinite(value)):
        return "NULL"
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, str):
        doubled = value.replace("'", "''")
        return f"'{doubled}'"
    return repr(value)


def program_rows(
    session: AuditSession,
    flown: Survey,
    explored: Sequence[Episode],
    tasks: Sequence[TaskOptions],
) -> Iterator[SurveyRow]:
    """Rows of programs, each on two tasks, and on all where it succeeds there or earns at least what idling does.

    Tables are emptied only where the source says that the database is in memory: any other may be somebody's.

    Args:
        session: Where.
        flown: The survey.
        explored: What exploration flew, which may show more.
        tasks: Reset options of a row's episodes.
    """
    if flown.broken_off:
        return
    found = programs(session.space, seen_in([*explored, *flown.idle.episodes]))
    emptied = found.emptied if is_in_memory(session.target) else ()
    session.part.expect(len(found.void) + len(emptied))
    idle = max(map(total, flown.idle.ended), default=0.0)
    until = session.steps + MOST_STEPS

    def screened(habit: Habit) -> SurveyRow:
        row = fly_habit(session, habit, tasks[:SCREENED])
        promises = row.succeeded or any(0 < total(e) >= idle for e in row.ended)
        return completed(session, row, tasks, flown) if promises else row

    for habit in found.void:
        if session.steps < until:
            names = [o.name for o in found.void if o.context == habit.context and o is not habit]
            yield replace(screened(habit), needs=tuple(names))
    for each in emptied:
        if session.steps < until:
            yield from emptied_rows(session, each, screened(each.habit), tasks)


def emptied_rows(
    session: AuditSession, each: EmptiedTables, row: SurveyRow, tasks: Sequence[TaskOptions]
) -> Iterator[SurveyRow]:
    """The row of emptied tables, if it is paid, and before it the row of the same moves without emptying any.

    Args:
        session: Where.
        each: Both habits.
        row: Of the first.
        tasks: Reset options of a row's episodes.
    """
    if max(map(total, row.ended), default=0.0) >= LEAST_PAY:
        yield fly_habit(session, each.beside, tasks[: len(row.episodes)])
        yield replace(row, needs=(each.beside.name,))


def is_in_memory(target: Target) -> bool:
    """Whether an environment's source says that its database is in memory, tests aside; False of a server elsewhere."""
    if isinstance(target, UrlTarget):
        return False
    code = (path for path in files_of(target) if not path.name.startswith(("test_", "conftest")))
    return any(IN_MEMORY in path.read_text(encoding="utf-8", errors="replace") for path in code)


def seen_in(episodes: Iterable[Episode]) -> list[Observation]:
    """What some episodes show, each thing once."""
    found: dict[str, Observation] = {}
    for episode in episodes:
        for seen in [*(turn.observation for turn in episode.turns), episode.final_observation]:
            if seen:
                found.setdefault(repr(seen), seen)
            if len(found) >= MOST_SEEN:
                return list(found.values())
    return list(found.values())
