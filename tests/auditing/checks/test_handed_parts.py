"""Values that are told in another shape than the action takes are sent back in it: where that is the answer, a leak."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.auditing.audits import fly_audit

from gonogo.auditing.checks.beginnings import Beginnings
from gonogo.auditing.checks.handed_out import handed_out
from gonogo.auditing.checks.handed_parts import (
    Counting,
    JoinedFit,
    Joint,
    PartsFit,
    bundles,
    counted,
    fillings,
    likeness,
    part_rows,
    rising,
    sent_for,
)
from gonogo.auditing.checks.told_values import Fit, ToldValue
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, fly_idle
from gonogo.auditing.suspicions import Suspicion
from gonogo.records.record import Verdict
from gonogo.rollouts.space import Space

pytestmark = pytest.mark.usefixtures("from_the_root")
SessionOf = Callable[[str], AuditSession]
NUMBER = {"type": "integer", "minimum": 0, "maximum": 19}


def space(**fields: object) -> Space:
    """Actions of some fields."""
    return Space({"properties": fields, "required": list(fields)})


def told_in(case: str, session_of: SessionOf) -> list[Suspicion]:
    """What the check alone comes to."""
    session = session_of(f"tests.zoo.sites:{case}")
    tasks = session.tasks({}, range(100, 104))
    flown = Survey({}, [fly_idle(session, tasks)])
    for row in part_rows(Beginnings(session, tasks), flown):
        flown = flown.having(row)
    return list(handed_out(flown))


@pytest.mark.parametrize(
    ("case", "copied"),
    [
        ("ListForFields", "x, y: state.site"),
        ("NamesForFields", "column, row: state.site"),
        ("TextForFields", "x, y (its pieces): state.site"),
        ("SquareForFields", "column, row (its words) (counted from nought): state.site"),
        ("ValuesForFields", "x, y: state.target_x, state.target_y"),
        ("ValuesForText", "spot (2 parts with ','): state.target_x, state.target_y"),
        ("ObjectForList", "spot (a list of 2): state.site"),
        ("PromisedPair", "x, y: observation.expected_answer"),
        ("OneOfTheThings", "x, y: state.site"),
    ],
)
def test_an_answer_in_another_shape_is_found(case: str, copied: str, session_of: SessionOf) -> None:
    found = told_in(case, session_of)
    assert f"{copied} sent back beside do=dig: earns 1 on average" in found[0].explanation
    assert {(each.id, each.severity) for each in found} == {("leaked_answer", None)}


@pytest.mark.parametrize(
    "case",
    [
        "DecoyPair",
        "OwnPlace",
        "ShownPair",
        "SpokenPair",
        "NamedThing",
        "AnyPlace",
        "ChessPlace",
        "CountedPlace",
        "FlownPlace",
    ],
)
def test_parts_that_are_seen_or_mean_nothing_are_no_leak(case: str, session_of: SessionOf) -> None:
    assert told_in(case, session_of) == []


def test_an_audit_proves_it(tmp_path: Path) -> None:
    given = {"target": "tests.zoo.sites:TextForFields", "audit.seeds": 12, "audit.search": 300}
    verdict, report = fly_audit(tmp_path, {**given, "audit.budget": 6_000}, {})
    (finding,) = [each for each in report.findings if each.blocks]
    assert (verdict, finding.id) == (Verdict.NO_GO, "leaked_answer")
    assert "x, y (its pieces): state.site sent back beside do=dig" in finding.explanation


def test_parts_go_by_name_into_their_fields_and_else_in_order() -> None:
    cells = space(row=NUMBER, column=NUMBER)
    (way,) = fillings([{"col": 3, "row": 5}, {"col": 4, "row": 9}], cells, {})
    assert way.action({"col": 7, "row": 8}) == {"row": 8, "column": 7}
    assert way.action({"col": 7}) is None
    ways = [way.action([7, 8]) for way in fillings([[3, 5], [4, 9]], cells, {})]
    assert ways == [{"row": 7, "column": 8}, {"row": 8, "column": 7}]


def test_the_fields_of_one_object_take_parts_as_well() -> None:
    spot = {"type": "object", "properties": {"x": NUMBER, "y": NUMBER}, "required": ["x", "y"]}
    ways = fillings(["3,5", "4,9"], space(spot=spot), {})
    assert {"spot": {"x": 7, "y": 8}} in [way.action("7,8") for way in ways]


def test_words_are_sent_as_the_choices_that_they_are() -> None:
    kinds = space(colour={"enum": ["red", "blue"]}, shape={"enum": ["cube", "ball"]})
    way = next(fillings(["red_cube", "blue_ball"], kinds, {}))
    assert isinstance(way, PartsFit)
    assert way.action("red ball") == {"colour": "red", "shape": "ball"}
    assert way.action("red sofa") is None


def test_parts_are_put_together_as_a_list_or_as_a_text() -> None:
    fields = space(at={"type": "array", "items": NUMBER}, spot={"type": "string"})
    ways = list(fillings([{"x": 3, "y": 5}, {"x": 4, "y": 9}], fields, {}))
    assert all(isinstance(way, JoinedFit) for way in ways)
    sent = [way.action({"x": 7, "y": 8}) or {} for way in ways]
    assert [7, 8] in [each["at"] for each in sent]
    texts = {each["spot"] for each in sent}
    assert {"7,8", "7, 8", "7 8", "78", "(7, 8)", "[7, 8]", "x=7, y=8"} <= texts
    assert not any(way.joint is Joint.LIST for way in fillings([[3, 5], [4, 9]], fields, {}))


def test_a_square_is_counted_from_nought_or_from_one() -> None:
    assert [counted(part, Counting.FROM_NOUGHT) for part in ("B", "7")] == [1, 6]
    assert [counted(part, Counting.FROM_ONE) for part in ("b", 7)] == [2, 7]
    assert [counted(part, Counting.MIXED) for part in ("B", "7")] == [1, 7]
    assert counted("knight", Counting.FROM_ONE) is None


def test_a_number_and_its_text_stand_for_each_other() -> None:
    number, text = space(n=NUMBER, t={"type": "string"}).leaves()
    assert sent_for(Fit.of(number, ()), "7") == 7
    assert sent_for(Fit.of(text, ()), 7) == "7"
    assert sent_for(Fit.of(number, ()), "seven") is None


def test_values_called_alike_but_for_one_word_are_one_value() -> None:
    told = [
        ToldValue("state.target_x", (1, 2)),
        ToldValue("state.target_y", (3, 4)),
        ToldValue("state.score", (0, 0)),
    ]
    found = {each.path: each.values for each in bundles(told)}
    assert found == {"state.target_x, state.target_y": ({"x": 1, "y": 3}, {"x": 2, "y": 4})}


@pytest.mark.parametrize(
    ("label", "field", "alike"),
    [("x", "x", 3), ("target_x", "x", 2), ("col", "column", 1), ("x", "y", 0), ("", "y", 0)],
)
def test_names_are_alike_by_their_words(label: str, field: str, alike: int) -> None:
    assert likeness(label, field) == alike


def test_numbers_that_rise_are_one_of_each_list() -> None:
    assert list(rising([[0, 2], [1, 2], [3]])) == [(0, 1, 3), (0, 2, 3)]
    assert list(rising([[], [1]])) == []
