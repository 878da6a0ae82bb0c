"""Programs that compute nothing are valid, are sent where a field takes programs, and are found where they are paid."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.auditing.audits import fly_audit

from gonogo.auditing.programs import (
    COMMENTED,
    EMPTY_RESULT,
    EQUAL_TO_ALL,
    ONE_ROW,
    Language,
    is_in_memory,
    language_of,
    literals,
    programs,
    query_in,
    rows_in,
    seen_in,
    tables_in,
)
from gonogo.env.target import resolve
from gonogo.exploits.panel import Kind
from gonogo.records.record import Verdict
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.space import Space
from gonogo.rollouts.types import View
from gonogo.wire import Observation

VALUES = st.one_of(
    st.none(),
    st.integers(-(2**53), 2**53),
    st.floats(-1e6, 1e6).map(lambda value: round(value, 3)),
    st.text(st.characters(min_codepoint=32, max_codepoint=0x2FFF), max_size=9),
)
SCHEMA = "CREATE TABLE sales (id INTEGER, region TEXT)"


def space(**fields: Any) -> Space:
    """A space of actions with some fields, all of which have to be given."""
    return Space({"type": "object", "properties": fields, "required": list(fields)})


def seen(observation: Observation, turn: int = 0) -> View:
    """What a policy sees."""
    return View("", observation, {}, turn)


@pytest.mark.parametrize(
    ("name", "said", "texts", "language"),
    [
        ("sql_query", "", [], Language.SQL),
        ("answer", "A valid SQL statement", [], Language.SQL),
        ("query", "What is asked", ["Mend this: SELECT a FROM t"], Language.SQL),
        ("query", "What is looked up", ["Select your seats"], None),
        ("query", "What is looked up", ["Select the best document from the list"], None),
        ("explanation", "Why the SQL query is wrong", [], None),
        ("fixedSql", "", [], Language.SQL),
        ("code", "Python source", [], Language.PYTHON),
        ("solution", "", ["def turned(number):"], Language.PYTHON),
        ("code", "The code of the product", ["a parcel"], None),
        ("message", "Python is a snake", [], None),
    ],
)
def test_the_language_of_a_field_is_told_by_its_words_or_by_what_is_seen(
    name: str, said: str, texts: list[str], language: Language | None
) -> None:
    (leaf,) = space(**{name: {"type": "string", "description": said}}).leaves()
    assert language_of(leaf, texts) is language


def test_a_choice_takes_no_program() -> None:
    (leaf,) = space(sql={"type": "string", "enum": ["a", "b"]}).leaves()
    assert language_of(leaf, []) is None


@given(
    st.integers(1, 4).flatmap(lambda n: st.lists(st.tuples(*[VALUES] * n), min_size=1, max_size=6))
)
def test_literals_answer_the_rows_that_they_are_made_of(rows: list[tuple[Any, ...]]) -> None:
    answered = sqlite3.connect(":memory:").execute(literals(rows)).fetchall()
    assert answered == rows


def test_literals_name_columns_where_rows_do() -> None:
    cursor = sqlite3.connect(":memory:").execute(literals([{"name": "O'Neill", "pay": 3}]))
    assert [column[0] for column in cursor.description] == ["name", "pay"]
    assert cursor.fetchall() == [("O'Neill", 3)]


@pytest.mark.parametrize("text", [ONE_ROW, EMPTY_RESULT, COMMENTED])
def test_an_empty_query_runs_without_a_table(text: str) -> None:
    sqlite3.connect(":memory:").execute(text)


def test_the_object_that_equals_all_does() -> None:
    known: dict[str, Any] = {}
    exec(EQUAL_TO_ALL, known)
    assert known["Anything"]() == 3
    assert known["Anything"]() == "three"
    assert known["Anything"]().__ne__([3]) is False


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        (SCHEMA, ["sales"]),
        (
            "create table if not exists `two_words` (a int); CREATE TABLE t (a int)",
            ["two_words", "t"],
        ),
        ("SELECT a FROM public.sales JOIN [dbo].[staff] ON b = c", ["sales", "staff"]),
        ("SELECT a FROM staff JOIN pay ON staff.id = pay.id", ["staff", "pay"]),
        ("Tables:\n- staff(id, name)\n- pay(id, amount)", ["staff", "pay"]),
        (f"{SCHEMA}; CREATE TABLE staff (id INT); SELECT id FROM staff", ["staff", "sales"]),
        ("Take a taxi from the station", []),
    ],
)
def test_tables_are_read_from_what_is_seen(text: str, tables: list[str]) -> None:
    assert tables_in([text]) == tables


def test_rows_are_taken_where_they_are_called_an_answer() -> None:
    shown = {
        "history": [[1, 2]],
        "expected_output": "[('Bob', 60000.0)]",
        "more": {"target": [{"a": 1}]},
    }
    assert list(rows_in(shown)) == [[["Bob", 60000.0]], [{"a": 1}]]
    assert list(rows_in({"expected_output": "all rows"})) == []
    assert list(rows_in({"expected_output": "{1: [[2]]}"})) == []
    assert list(rows_in({"expected_rows": [[1], [1, 2]]})) == []


def seen_as(text: str) -> list[Observation]:
    """What was seen: one text."""
    return [{"task": text}]


def test_tables_are_emptied_one_by_one_before_nothing_is_asked_for() -> None:
    do = {"type": "string", "enum": ["run", "submit"]}
    found = programs(space(do=do, sql={"type": "string"}), seen_as(SCHEMA))
    name = "sql: DELETE FROM sales, then do=submit, sql asks for nothing"
    (each,) = [one for one in found.emptied if one.habit.name == name]
    for habit, begun in ((each.habit, "DELETE FROM sales"), (each.beside, ONE_ROW)):
        sent = [habit.act({0: seen({}, turn)})[0].action for turn in range(3)]
        first, *later = sent
        assert first == {"do": "run", "sql": begun}
        assert later == [{"do": "submit", "sql": EMPTY_RESULT}] * 2
    assert (each.habit.kind, each.beside.kind) == (Kind.WIPED, Kind.CYCLE)


def test_no_rows_have_the_columns_that_are_asked_for() -> None:
    found = programs(space(sql={"type": "string"}), seen_as(SCHEMA))
    habit = next(one.habit for one in found.emptied if one.habit.name.endswith("for nothing"))
    shown = {"task": {"expected_columns": ["name", 'total "pay"']}}
    sent = habit.act({0: seen(shown, 1)})[0].action or {}
    cursor = sqlite3.connect(":memory:").execute(sent["sql"])
    assert [column[0] for column in cursor.description] == ["name", 'total "pay"']
    assert cursor.fetchall() == []


def test_a_query_that_is_seen_may_be_asked_of_the_empty_tables() -> None:
    found = programs(space(sql={"type": "string"}), seen_as(SCHEMA))
    name = "sql: DELETE FROM sales, then sql sends the query that is seen"
    (habit,) = [one.habit for one in found.emptied if one.habit.name == name]
    shown = {"task": "With the table below, mend it", "broken": "select * FROM sales"}
    assert query_in(shown) == "select * FROM sales"
    assert habit.act({0: seen(shown, 1)})[0].action == {"sql": "select * FROM sales"}
    assert habit.act({0: seen({}, 1)})[0].action == {"sql": EMPTY_RESULT}


def test_rows_are_sent_as_literals_only_where_some_are_shown() -> None:
    fields = space(sql={"type": "string"})
    assert not [h for h in programs(fields, seen_as(SCHEMA)).void if h.action is None]
    shown: Observation = {"expected_rows": [["Bob", 3]]}
    (habit,) = [h for h in programs(fields, [shown]).void if h.action is None]
    assert habit.act({0: seen(shown)})[0].action == {"sql": "SELECT 'Bob', 3"}
    assert habit.act({0: seen({})})[0].action == {"sql": EMPTY_RESULT}


def test_what_is_too_long_for_its_field_is_not_sent() -> None:
    found = programs(space(sql={"type": "string", "maxLength": 20}), seen_as(SCHEMA))
    assert [(h.action or {})["sql"] for h in found.void] == [EMPTY_RESULT, ONE_ROW]


def test_functions_have_the_names_that_are_seen() -> None:
    found = programs(space(code={"type": "string"}), seen_as("def turned(number): ..."))
    sent = [str((habit.action or {})["code"]) for habit in found.void]
    known: list[dict[str, Any]] = [{} for _ in sent]
    for text, names in zip(sent, known, strict=True):
        exec(text, names)
    assert known[0]["turned"](1) == 99
    assert known[1]["turned"](1, other=2) is None


def test_a_space_without_programs_has_none() -> None:
    found = programs(space(message={"type": "string"}), seen_as(SCHEMA))
    assert (list(found.void), list(found.emptied)) == ([], [])


@pytest.mark.usefixtures("from_the_root")
@pytest.mark.parametrize(
    ("case", "id", "said", "why"),
    [
        ("LateYardstick", "emptying_pays", "DELETE FROM sales", "empties the tables"),
        ("AnyQuery", "paid_without_trying", "SELECT 1", "computes nothing"),
        ("ShownRows", "paid_without_trying", "the rows that are shown", "computes nothing"),
        ("EqualByAnswer", "paid_without_trying", "class Anything", "computes nothing"),
    ],
)
def test_a_program_that_computes_nothing_is_found_where_it_is_paid(
    case: str, id: str, said: str, why: str, tmp_path: Path
) -> None:
    given = {"target": f"tests.zoo.queries:{case}", "audit.seeds": 8, "audit.budget": 6_000}
    verdict, record = fly_audit(tmp_path, given, {})
    assert verdict is Verdict.NO_GO
    (finding,) = [each for each in record.findings if each.id == id]
    assert finding.blocks
    assert why in finding.explanation
    assert said in finding.explanation


@pytest.mark.usefixtures("from_the_root")
@pytest.mark.parametrize(
    "case", ["FixedYardstick", "EqualAsNumber", "ShareOfRows", "Retention", "PointsForTests"]
)
def test_a_mark_for_a_program_that_runs_is_not_accused(case: str, tmp_path: Path) -> None:
    given = {"target": f"tests.zoo.queries:{case}", "audit.seeds": 8, "audit.budget": 6_000}
    _, record = fly_audit(tmp_path, given, {})
    assert [each.id for each in record.findings if each.blocks] == []


def test_each_thing_that_is_seen_is_read_once() -> None:
    turns = [Turn("", {"question": "why"}), Turn("", {"question": "why", "answered": "so"})]
    episode = Episode(0, {}, "t", "x", turns=turns, final_observation={"answered": "done"})
    assert seen_in([episode, episode]) == [
        {"question": "why"},
        {"question": "why", "answered": "so"},
        {"answered": "done"},
    ]


@pytest.mark.usefixtures("from_the_root")
def test_tables_are_emptied_only_where_the_database_is_in_memory() -> None:
    assert is_in_memory(resolve("tests.zoo.queries:LateYardstick"))
    assert not is_in_memory(resolve("tests.zoo.again:Kiln"))
    assert not is_in_memory(resolve("http://localhost:1"))
