"""Stories: ten lines, all from the flight, nothing left out, and the order that decided it."""

from __future__ import annotations

import itertools
import re

import pytest

from flightrules.missions.store import MissionStore
from flightrules.validation.stories import (
    LINES,
    Span,
    deciding,
    first_lost,
    record,
    story,
    turns,
)


@pytest.fixture(scope="module")
def store() -> MissionStore:
    return MissionStore()


@pytest.mark.parametrize("index", [0, 1])
def test_a_success_in_ten_lines(index: int, store: MissionStore) -> None:
    """Every message and every verdict of the flight is told once, every second belongs to one line."""
    mission = store.task("validation", index, "mission_ops")
    lines = story(mission, "oracle", store)
    assert len(lines) == LINES
    assert lines == story(mission, "oracle", store)
    told = " ".join(lines)
    for item in mission.directives:
        assert told.count(item.text) == 1
    assert told.count("alarm at") == 1
    assert told.count("Told to nobody") == 1
    flight, _ = record(mission, "oracle", store)
    assert flight.success
    assert all(
        told.count(f"{mission.directives[turn.order].id} {turn.word} at T+{turn.second:04d}") == 1
        for turn in turns(flight)
    )
    spans = re.findall(r"^T\+(\d+) to T\+(\d+):", "\n".join(lines), re.MULTILINE)
    assert spans[0][0] == "0000"
    assert spans[-1][1] == f"{mission.horizon_s:04d}"
    assert all(one[1] == other[0] for one, other in itertools.pairwise(spans))
    assert "oracle has won" in lines[-1]


def test_a_success_is_decided_by_what_idling_fails(store: MissionStore) -> None:
    """Not by the reserve, which everybody keeps to the last second."""
    mission = store.task("validation", 0, "mission_ops")
    flight, _ = record(mission, "oracle", store)
    turned = turns(flight)
    assert mission.directives[turned[-1].order].kind == "keep_reserve"
    assert mission.directives[deciding(flight, turned).order].kind == "hold"


@pytest.mark.parametrize("level", ["detumble", "retarget"])
def test_a_loss_is_decided_by_the_first_violation(level: str, store: MissionStore) -> None:
    mission = first_lost(level, "tuned_pd", store)
    lines = story(mission, "tuned_pd", store)
    assert len(lines) == LINES
    flight, _ = record(mission, "tuned_pd", store)
    assert flight.success is False
    turn = deciding(flight, turns(flight))
    assert turn.word == "violated"
    assert f"Decided by {mission.directives[turn.order].id} " in lines[-1]
    assert "tuned_pd has lost" in lines[-1]
    (robustness,) = re.findall(r"robustness of ([-+]\d+\.\d+)", lines[-1])
    assert float(robustness) <= 0.0


def test_a_flight_of_few_decisions_is_no_story(store: MissionStore) -> None:
    with pytest.raises(ValueError, match="a story needs at least 8 decisions, got 2"):
        story(store.task("validation", 0, "detumble"), "idle", store)


def test_spans_that_join_lose_nothing() -> None:
    one = Span(0, 10, ("a",), ("roll+small",), (), "x", ("D1 satisfied",))
    two = Span(10, 30, ("b",), (), ("gyro recalibrated",), "y")
    assert one.join(two) == Span(
        0, 30, ("a", "b"), ("roll+small",), ("gyro recalibrated",), "y", ("D1 satisfied",)
    )
    assert (one.news, two.news) == (2, 1)
