"""What a program that computes nothing is paid is found over real databases, and not where it is paid a little."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.auditing.audits import fly_audit

from gonogo.auditing.program_rows import is_in_memory, seen_in
from gonogo.env.target import resolve
from gonogo.records.record import Verdict
from gonogo.rollouts.episodes import Episode, Turn

pytestmark = pytest.mark.usefixtures("from_the_root")


@pytest.mark.parametrize(
    ("case", "id", "said"),
    [
        ("LateYardstick", "emptying_pays", "DELETE FROM sales"),
        ("AnyQuery", "paid_without_trying", "SELECT 1"),
        ("ShownRows", "paid_without_trying", "the rows that are shown"),
        ("EqualByAnswer", "paid_without_trying", "class Anything"),
    ],
)
def test_a_program_that_computes_nothing_is_found_where_it_is_paid(
    case: str, id: str, said: str, tmp_path: Path
) -> None:
    given = {"target": f"tests.zoo.queries:{case}", "audit.seeds": 8, "audit.budget": 6_000}
    verdict, record = fly_audit(tmp_path, given, {})
    assert verdict is Verdict.NO_GO
    (finding,) = [each for each in record.findings if each.id == id]
    assert finding.blocks
    assert "computes nothing" in finding.explanation
    assert said in finding.explanation


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


def test_tables_are_emptied_only_where_the_database_is_in_memory() -> None:
    assert is_in_memory(resolve("tests.zoo.queries:LateYardstick"))
    assert not is_in_memory(resolve("tests.zoo.again:Kiln"))
    assert not is_in_memory(resolve("http://localhost:1"))
