"""What is volatile in the answers of repetitions, and what is left of a value without it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.records_made import contract_report

from gonogo.records.contract import VolatilePlace
from gonogo.rollouts.volatile import Sample, Volatile, calm, calmed, volatile_fields, volatile_in


def judged(name: str, first: list[Any], second: list[Any]) -> Volatile | None:
    """What is found of a field that repetitions in two processes show by these values."""
    samples = [
        Sample(process, float(at), 0, {name: value})
        for process, shown in enumerate((first, second))
        for at, value in enumerate(shown)
    ]
    return volatile_fields(samples).get(name)


def test_an_id_without_a_letter_is_left_out_where_others_had_one() -> None:
    found = judged("said", ["order ba416c49 of 5", "order 0f3a77b1 of 5"], ["order 9e9e9e9e of 5"])
    assert found is not None
    assert calm("order 89281846 of 5", found) == calm("order ba416c49 of 5", found)
    assert calm("order 89281846 of 6", found) != calm("order ba416c49 of 5", found)


def test_the_same_id_under_another_name_is_left_out_too() -> None:
    ids = ["easy_04_gen_83d9dd", "easy_04_gen_159176", "easy_04_gen_cd4354"]
    for others, paths in ((ids, {"task_id", "current"}), ([*ids[:2], "x"], {"task_id"})):
        shown = ({"task_id": one, "current": other} for one, other in zip(ids, others, strict=True))
        samples = [Sample(0, float(at), 0, each) for at, each in enumerate(shown)]
        assert volatile_fields(samples).keys() == paths


@pytest.mark.parametrize("name", ["episode_no", "episodes_served", "total_episodes", "reset_count"])
def test_what_a_process_counts_over_its_episodes_is_no_dropped_seed(name: str) -> None:
    found = judged(name, [4, 5, 7, 9], [2, 3])
    assert found is not None and found.kind == "a count of episodes"


def test_an_instance_that_counts_its_own_episodes_begins_anew_in_a_new_session() -> None:
    """The flights of a history: three of one session, then each in one of its own."""
    assert judged("episode_count", [1, 2, 4, 1, 1, 1], [1, 2, 4, 1, 1, 1]) is not None
    assert judged("best_score", [1, 2, 4, 1, 1, 1], [1, 2, 4, 1, 1, 1]) is None
    assert judged("episode_count", [1, 2, 4, 3, 1, 1], [1, 2, 4, 1, 1, 1]) is None


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("round", [4, 5, 7, 9]),
        ("coins", [4, 5, 7, 9]),
        ("episode_no", [4, 5, 3, 9]),
        ("episode_no", [4, 5, 5, 9]),
    ],
)
def test_what_leaks_or_is_drawn_is_no_count(name: str, first: list[int]) -> None:
    assert judged(name, first, [2, 3]) is None


def test_what_is_left_of_a_value_is_the_same_where_only_a_clock_differs() -> None:
    noisy = [
        VolatilePlace(task={"level": 1}, path=path, kind="a clock", mask="a clock", columns=None)
        for path in ("observation.log[].said", "observation.held{}")
    ]
    record = contract_report(volatile=noisy)
    noise = volatile_in(record, {"level": 1, "seed": 7})
    assert volatile_in(record, {"level": 2}) == volatile_in(contract_report(), {"level": 1}) == {}

    def left(clock: str, room: int) -> Any:
        seen = {"log": [{"said": f"{clock} room {room}"}], "held": {f"at {clock}": room}}
        return calmed(seen, "observation", noise)

    assert left("10:11:12", 2) == left("13:14:15", 2) != left("10:11:12", 3)
