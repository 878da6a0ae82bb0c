"""Items that are named one by one or come in turn, and the same answer to all of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.auditing.audits import blocked_of
from tests.auditing.rows import IDLE, row

from gonogo.auditing.checks.named_items import (
    NamedItems,
    names_each,
    one_for_all,
    varied,
)
from gonogo.auditing.checks.paid import Paid
from gonogo.auditing.survey import Survey, SurveyRow
from gonogo.exploits.panel import Kind

pytestmark = pytest.mark.usefixtures("from_the_root")


@pytest.mark.parametrize(
    ("case", "blocked"),
    [
        ("Counter", {"paid_without_trying"}),
        ("FairCounter", set()),
        ("Tray", {"paid_without_trying"}),
        ("FairTray", set()),
        ("Dispatch", set()),
        ("Mill", set()),
    ],
)
def test_one_answer_to_all_items_is_paid_without_trying_where_it_has_most_marks(
    case: str, blocked: set[str], tmp_path: Path
) -> None:
    assert blocked_of(f"tests.zoo.mails:{case}", tmp_path, 8_000) == blocked


def naming(name: str, to: str, pays: list[float]) -> SurveyRow:
    """A row that gives each of three things the same answer, a turn each."""
    made = row(name, Kind.CONSTANT, [sum(pays)])
    turn = made.episodes[0].turns[0]
    turns = [
        replace(turn, action={"id": thing, "to": to}, reward=pay, done=thing == "z")
        for thing, pay in zip("xyz", pays, strict=True)
    ]
    return replace(made, episodes=[replace(e, turns=turns) for e in made.episodes])


def flown(*rows: SurveyRow) -> Paid:
    """What some rows are paid."""
    return Paid(Survey({}, [IDLE, *rows]))


def test_where_an_action_takes_a_number_nobody_may_know_the_better_part_of_the_mark() -> None:
    rows = [naming("a", "x", [1.0, 1.0, 0.0]), naming("b", "y", [0.0, 0.0, 1.0])]
    assert NamedItems.of(flown(*rows)).rows
    tried = row("sum", Kind.EXTREME, [0.0], field="sum", action={"sum": 10**9})
    assert not NamedItems.of(flown(*rows, tried)).rows


def test_where_one_answer_is_the_best_for_all_nothing_is_judged() -> None:
    assert one_for_all({0: {"a": 1.0, "b": 0.0}, 1: {"a": 1.0, "b": 1.0}})
    assert not one_for_all({0: {"a": 1.0, "b": 0.0}, 1: {"a": 0.0, "b": 1.0}})
    assert not NamedItems({}).ask_for_judgement


def test_a_row_names_each_thing_once_and_has_to_earn_most() -> None:
    one, other = naming("a", "a", [1.0, 0.0, 1.0]), naming("b", "b", [0.0, 1.0, 0.0])
    assert names_each(one) and not names_each(IDLE)
    found = NamedItems.of(flown(one, other))
    assert found.pay_most(one) and not found.pay_most(other)
    assert not NamedItems.of(flown(one)).pay_most(
        one
    )  # nobody knows whether there is anything to judge
    near = naming("near", "c", [1.0, 0.0, 0.5])  # all answers earn much
    assert not NamedItems.of(flown(one, other, near)).pay_most(one)
    assert "together earn 3" in found.told(one) and not found.told(other)
    dear = naming("dear", "c", [0.0, 5.0, 0.0])
    assert not NamedItems.of(flown(one, other, dear)).pay_most(one)  # no marks within 1


def test_one_field_names_the_things() -> None:
    assert varied([{"id": "x", "to": "a"}, {"id": "y", "to": "a"}]) == ".id"
    assert varied([{"id": "x", "to": "a"}, {"id": "x", "to": "a"}]) is None
    assert varied([{"id": "x", "to": "a"}, {"id": "y", "to": "b"}]) is None
    assert varied([{"id": 1, "to": "a"}, {"id": 2, "to": "a"}]) is None
