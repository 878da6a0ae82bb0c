"""Answers that are handed out are found by flying a copy of them; copying as the task itself is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gonogo.auditing.leakage import leakage, with_value
from gonogo.wire import JsonObject as Json

CASES = {
    "leaked_answer": ("observation.reference", "pegs", False),
    "leaked_answer__state": ("state.answer", "letter", True),
    "leaked_answer__copied": ("observation.slip", "number", False),
}


def verdicts(record: Json) -> dict[str, str]:
    return {copy.path: copy.verdict for copy in record.copies}


@pytest.mark.parametrize("case", CASES)
def test_a_leak_is_proven_and_its_look_alike_is_clean(
    case: str, opened: Callable[..., Any]
) -> None:
    record, (suspicion,) = leakage(*opened(f"{case}:Defect"))
    path, field, items = CASES[case]
    (copy,) = record.copies
    assert (copy.path, copy.field, copy.items) == (path, field, items)
    assert (copy.verdict, copy.success) == ("leak", 1.0)
    assert copy.success_with_another_seeds_value < 0.3
    assert suspicion.id == "leaked_answer"
    assert suspicion.witness.success is True

    record, suspected = leakage(*opened(f"{case}:Sound"))
    assert suspected == []
    assert "leak" not in verdicts(record).values()


def test_what_the_task_is_to_copy_is_no_leak(opened: Callable[..., Any]) -> None:
    record, suspected = leakage(*opened("leaked_answer__copied:Sound"))
    (copy,) = record.copies
    assert (copy.success, copy.needed_by_reference, copy.verdict) == (1.0, True, "task")
    assert suspected == []


def test_without_a_policy_that_succeeds_a_seen_copy_is_not_judged(
    opened: Callable[..., Any],
) -> None:
    record, suspected = leakage(*opened("leaked_answer__copied:Defect", solve=False))
    assert verdicts(record) == {"observation.slip": "unknown"}
    assert suspected == []


def test_a_leak_of_the_state_needs_no_policy_that_succeeds(opened: Callable[..., Any]) -> None:
    record, (suspicion,) = leakage(*opened("leaked_answer__state:Defect", solve=False))
    assert verdicts(record) == {"state.answer": "leak"}
    assert suspicion.row.name == "letter: the items of state.answer sent back"


def test_an_answer_that_is_right_on_every_seed_is_no_leak(opened: Callable[..., Any]) -> None:
    record, suspected = leakage(*opened("paid_for_idling:Sound"))
    assert suspected == []
    assert record.paths > 0


def test_agreement_with_the_succeeding_policy_is_measured_against_chance(
    opened: Callable[..., Any],
) -> None:
    record, _ = leakage(*opened("leaked_answer:Defect"))
    best = record.agreements[0]
    assert (best.path, best.field, best.same_seed) == (
        "observation.reference",
        "pegs",
        1.0,
    )
    assert best.other_seeds < 0.3


def test_a_value_is_replaced_in_a_copy() -> None:
    seen = {"board": [{"x": 1}, 7], "goal": 2}
    assert with_value(seen, "observation.board[0].x", 9) == {"board": [{"x": 9}, 7], "goal": 2}
    assert with_value(seen, "observation.absent", 9) == seen
    assert seen == {"board": [{"x": 1}, 7], "goal": 2}


def test_an_answer_of_two_fields_is_read_from_a_map(opened: Callable[..., Any]) -> None:
    record, (suspicion,) = leakage(*opened("leaked_answer__map:Defect"))
    leaks = [copy for copy in record.copies if copy.verdict == "leak"]
    assert [(copy.path, copy.field) for copy in leaks] == [
        ("state.map -> row of x, state.map -> column of x", "row, column")
    ]
    assert suspicion.witness.success is True
    record, suspected = leakage(*opened("leaked_answer__map:Sound"))
    assert suspected == []
