"""Items that are judged one by one, and the same answer to all of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.auditing.audits import fly_audit
from tests.auditing.rows import row

from gonogo.auditing.checks.items import (
    Items,
    items_by_name,
    items_in_turn,
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
        ("Mill", set()),
    ],
)
def test_one_answer_to_all_items_is_paid_without_trying_where_it_has_most_marks(
    case: str, blocked: set[str], tmp_path: Path
) -> None:
    given = {"target": f"tests.zoo.mails:{case}", "audit.seeds": 8, "audit.budget": 6_000}
    _, report = fly_audit(tmp_path, given, {})
    assert {f.id for f in report.findings if f.blocks} == blocked


def answered(name: str, answers: str, pays: list[float], kind: str = Kind.CONSTANT) -> SurveyRow:
    """A row that gives an answer a turn, a letter each, to the same items, which are shown as texts."""
    made = row(name, kind, [sum(pays)])
    turn = made.episodes[0].turns[0]
    items = ("the first of all mails", "then the second one", "and at last the third")
    turns = [
        replace(turn, observation={"mail": item}, action={"to": said}, reward=pay, done=pay is pays[-1])
        for item, said, pay in zip(items, answers, pays, strict=True)
    ]  # fmt: skip
    turns = [replace(each, done=n == len(turns) - 1) for n, each in enumerate(turns)]
    return replace(made, episodes=[replace(e, turns=turns) for e in made.episodes], field="to")


def flown(*rows: SurveyRow) -> Paid:
    """What some rows are paid."""
    return Paid(Survey({}, list(rows)))


IDLE = answered("idle", "aaa", [1.0, 0.0, 1.0], Kind.IDLE)
OTHERS = (
    answered("b", "bbb", [0.0, 1.0, 0.0]),
    answered("ab", "abb", [1.0, 1.0, 0.0], Kind.RANDOM),
    answered("ba", "baa", [0.0, 0.0, 1.0], Kind.RANDOM),
    answered("aba", "aba", [1.0, 1.0, 1.0], Kind.RANDOM),
)


def test_what_is_paid_hangs_on_the_answer_of_the_turn() -> None:
    found = items_in_turn(flown(IDLE, *OTHERS))
    assert found.ask_for_judgement
    assert found.half_paid(IDLE)
    assert not found.half_paid(OTHERS[0])
    late = answered("late", "bab", [0.0, 0.5, 0.0], Kind.RANDOM)  # an `a` at the second is paid 0
    assert not items_in_turn(flown(IDLE, *OTHERS, late)).marks
    assert not items_in_turn(flown(IDLE, *OTHERS[:1])).marks  # too little was answered twice


def test_what_nothing_new_is_shown_of_is_no_item() -> None:
    def blank(each: SurveyRow) -> SurveyRow:
        episodes = [
            replace(e, turns=[replace(t, observation={"mail": "one and the same text"}) for t in e.turns])
            for e in each.episodes
        ]  # fmt: skip
        return replace(each, episodes=episodes)

    assert not items_in_turn(flown(blank(IDLE), *map(blank, OTHERS))).marks


def test_where_one_answer_is_the_best_for_all_nothing_is_judged() -> None:
    assert one_for_all({0: {"a": 1.0, "b": 0.0}, 1: {"a": 1.0, "b": 1.0}})
    assert not one_for_all({0: {"a": 1.0, "b": 0.0}, 1: {"a": 0.0, "b": 1.0}})
    assert not one_for_all({})
    assert not Items().ask_for_judgement


def test_a_row_names_each_thing_once() -> None:
    def naming(name: str, to: str, pays: list[float]) -> SurveyRow:
        made = answered(name, "xyz", pays)
        episodes = [
            replace(e, turns=[replace(t, action={"id": (t.action or {})["to"], "to": to}) for t in e.turns])
            for e in made.episodes
        ]  # fmt: skip
        return replace(made, episodes=episodes)

    one, other = naming("a", "a", [1.0, 0.0, 1.0]), naming("b", "b", [0.0, 1.0, 0.0])
    assert names_each(one) and not names_each(IDLE)
    found = items_by_name(flown(one, other))
    assert found.ask_for_judgement and found.half_paid(one) and not found.half_paid(other)
    assert varied([{"id": "x", "to": "a"}, {"id": "x", "to": "a"}]) is None
    assert varied([{"id": "x", "to": "a"}, {"id": "y", "to": "b"}]) is None
