"""Tables that the state tells are sent back, name after name: where they are what is asked for, it is a leak."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.auditing.checks.test_sweeps import audit_shelf

from gonogo.auditing.checks.handed_tables import another, hidden_pairs, tables_of
from gonogo.auditing.resets import Opening
from gonogo.records.record import Verdict

pytestmark = pytest.mark.usefixtures("from_the_root")


@pytest.mark.parametrize(
    ("case", "copied"),
    [
        ("ToldShelf", "word: the value of each key of state.stands sent back beside do=write"),
        ("ListedShelf", "word: text of each card in state.all sent back beside do=write"),
    ],
)
def test_a_table_that_is_the_answer_is_proven(case: str, copied: str, tmp_path: Path) -> None:
    verdict, report = audit_shelf(case, tmp_path)
    (finding,) = [each for each in report.findings if each.blocks]
    assert verdict == Verdict.NO_GO
    assert finding.id == "leaked_answer"
    assert f"{copied}, then" in finding.explanation
    assert "each with another's value" in finding.explanation


@pytest.mark.parametrize("case", ["NoneLost", "SpokenShelf", "OpenShelf", "OtherShelf"])
def test_a_table_that_is_told_or_means_nothing_is_no_leak(case: str, tmp_path: Path) -> None:
    _, report = audit_shelf(case, tmp_path)
    assert [each.id for each in report.findings] == []


def test_a_mapping_and_a_list_of_records_are_tables() -> None:
    assert tables_of({"state.a": {"x": 1, "y": 2}}) == {
        "the value of each key of state.a": {'"x"': ("x", 1), '"y"': ("y", 2)}
    }
    rows = [{"id": "x", "ok": True}, {"id": "y", "ok": True}]
    assert tables_of({"state.a": rows}) == {
        "ok of each id in state.a": {'"x"': ("x", True), '"y"': ("y", True)}
    }
    assert tables_of({"state.a": ["x", "y"], "state.b": {"x": 1}}) == {}


WHAT = "the value of each key of state.true"


def opened(**seen: object) -> Opening:
    """A reset whose state tells a table."""
    told = {"x": 1, "y": 2, "z": 3, "w": 4}
    return Opening({}, {**seen}, {}, {"true": told})  # type: ignore[arg-type]


def test_only_what_is_shown_otherwise_is_sent() -> None:
    shown = {"x": 1, "y": 2, "z": 3, "w": 9}
    assert hidden_pairs(WHAT, opened(books=shown)) == [("w", 4)]
    assert hidden_pairs(WHAT, opened(names=["x", "y", "z", "w"])) == [
        ("x", 1),
        ("y", 2),
        ("z", 3),
        ("w", 4),
    ]


def test_what_is_seen_or_told_is_no_hidden_table() -> None:
    assert hidden_pairs(WHAT, opened(books={"x": 1, "y": 2, "z": 3, "w": 4})) == []
    names = ["x", "y", "z", "w"]
    assert hidden_pairs(WHAT, opened(names=names, note="x is 1\ny is 2\nz may be 8")) == []
    assert hidden_pairs(WHAT, opened(names=["x", "y"])) == []


def test_another_value_differs() -> None:
    assert [another([1, 1, 2], n) for n in range(3)] == [2, 2, 1]
    assert another([5, 5], 0) == 6
    assert another(["a", "a"], 0) is None
