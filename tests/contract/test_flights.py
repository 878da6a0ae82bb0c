"""Comparing flights: the first difference by step and field, and nothing that is not one."""

from __future__ import annotations

from typing import Any

import pytest

from gonogo.contract.flights import (
    Shot,
    Trace,
    affordable,
    apart,
    difference,
    make_plan,
    recordable,
)
from gonogo.contract.tasks import Task
from gonogo.rollouts.space import Space
from gonogo.rollouts.types import Failure, Transition


def trace(*answers: Any, state: Any = None) -> Trace:
    """A flight whose observations hold the answers."""
    shots = []
    for step, answer in enumerate(answers):
        observed = answer if isinstance(answer, dict) else {"x": answer}
        shots.append(Shot({} if step else None, Transition(observed, 0.0, False), state, None))
    return Trace({}, shots)


@pytest.mark.parametrize(
    ("a", "b", "field"),
    [
        (1, 2, "observation.x"),
        (1, True, "observation.x"),
        (1, 1.0, "observation.x"),
        ({"x": [1, {"y": 2}]}, {"x": [1, {"y": 3}]}, "observation.x[1].y"),
        ({"x": [1]}, {"x": [1, 2]}, "observation.x"),
        ({"x": 1}, {"x": 1, "z": 0}, "observation.z"),
    ],
)
def test_the_first_difference_is_named(a: Any, b: Any, field: str) -> None:
    found = difference(trace(0, a), trace(0, b))
    assert found is not None
    assert (found.step, found.field) == (1, field)
    assert difference(trace(0, a), trace(0, a)) is None


def test_rewards_ends_states_and_refusals_count_and_ids_do_not() -> None:
    one = trace(0, 0, state={"episode_id": "a", "step_count": 1})
    assert difference(one, trace(0, 0, state={"episode_id": "b", "step_count": 1})) is None
    for changed, field in (
        (Transition({"x": 0}, 0.5, False), "reward"),
        (Transition({"x": 0}, 0.0, True), "done"),
        (Transition({"x": 0}, 0.0, False, refusal="no"), "refused"),
    ):
        other = trace(0, 0, state={"step_count": 1})
        other.shots[1] = Shot({}, changed, {"step_count": 1}, None)
        found = difference(one, other)
        assert found is not None
        assert found.field == field
    found = difference(one, trace(0, 0, state={"step_count": 2}))
    assert found is not None
    assert found.field == "state.step_count"


def test_integers_may_grow_where_counts_are_forgiven() -> None:
    assert difference(trace(0, 1), trace(0, 28), growing=True) is None
    for earlier, later in ((28, 1), (1.0, 28.0), (False, True), ("1", "28")):
        assert difference(trace(0, earlier), trace(0, later), growing=True) is not None


def test_a_shorter_or_a_lost_flight_is_different() -> None:
    assert difference(trace(0), trace(0, 0)) is not None
    lost = trace(0, 0)
    lost.failure = Failure("gone")
    found = difference(trace(0, 0), lost)
    assert found is not None
    assert found.values == (1, "gone")


def test_what_a_record_cannot_hold_is_made_holdable() -> None:
    assert recordable({"a": [float("nan"), float("-inf"), 1.5]}) == {"a": ["nan", "-inf", 1.5]}
    assert recordable("x" * 500).endswith("… (500 characters)")


def test_a_slow_environment_gets_short_flights() -> None:
    flown = trace(*range(10))
    flown.seconds = 0.001
    assert affordable(flown, 30, 24, 2) == 24
    flown.seconds = 10.0
    assert affordable(flown, 30, 24, 2) == 4
    assert 4 < affordable(flown, 200, 24, 2) < 24


def test_plans_draw_from_the_seed_and_the_task() -> None:
    space = Space({"properties": {"x": {"type": "integer"}}})
    given = [({}, 0), ({}, 0), ({}, 1), ({"a": 1}, 0)]
    plans = [make_plan(Task(options, "given"), space, seed, 2, 8) for options, seed in given]
    assert plans[0] == plans[1]
    assert plans[0].scripts != plans[2].scripts
    assert plans[0].scripts != plans[3].scripts
    assert plans[0].options(1)["seed"] == 1
    assert "seed" not in plans[0].options(None)
    assert not make_plan(Task({"seed": 9}, "given"), space, 0, 2, 8).seeded


def test_a_record_holds_no_list_and_no_number_without_end() -> None:
    assert recordable(list(range(2000)))[1023:] == [1023, "976 more"]
    assert recordable({str(n): n for n in range(1025)})["…"] == "1 more"
    assert recordable(10**400) == "a whole number of 1329 bits"
    assert recordable([1, {"a": 2**64}]) == [1, {"a": 2**64}]


def test_texts_that_differ_late_are_shown_where_they_begin_to() -> None:
    same = "Words that never change. " * 40
    one, two = apart(f"{same}left turn{same}", f"{same}right turn{same}")
    assert "left turn" in one
    assert "right turn" in two
    assert len(one) < 200
    assert apart("short", "shirt") == ("short", "shirt")
    found = difference(trace(f"{same}left"), trace(f"{same}right"))
    assert found is not None
    assert found.values is not None
    assert found.values[0].endswith("left")
    assert found.values[1].endswith("right")


def test_lists_that_differ_in_length_show_the_first_item_that_one_has_alone() -> None:
    found = difference(trace({"x": [1, 2]}), trace({"x": [1, 2, 3]}))
    assert found is not None
    assert found.values == ("2 items", "3 items, and then 3")
