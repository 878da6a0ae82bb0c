"""What a reset shows, by path, and what can be read from it."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest

from gonogo.auditing.resets import (
    Opening,
    at,
    key_of,
    numberless,
    opening_mark,
    readings,
    source_of,
    told_by,
    unsteady,
    values_of,
)
from gonogo.rollouts.volatile import Volatile
from gonogo.wire import JsonObject as Json


def opening(**observation: Any) -> Opening:
    return Opening({"seed": 1}, observation, {"hint": 2}, {"episode_id": "a"})


def test_everything_that_is_shown_has_a_path() -> None:
    shown = values_of(opening(board=[{"x": 1}, 7]))
    assert shown == {
        "observation.board": [{"x": 1}, 7],
        "observation.board[0]": {"x": 1},
        "observation.board[0].x": 1,
        "observation.board[1]": 7,
        "metadata.hint": 2,
        "state.episode_id": "a",
    }


def test_a_value_is_found_by_its_path() -> None:
    seen = {"board": [{"x": 1}, 7]}
    assert at(seen, "observation.board[0].x") == 1
    assert at(seen, "observation.board[2]") is None
    assert at(seen, "state.episode_id") is None


def test_what_differs_between_resets_of_one_task_is_unsteady() -> None:
    first, again = opening(clock=1, goal=3), opening(clock=2, goal=3)
    assert unsteady([first, None], [again, first]) == {"observation.clock"}


def test_equal_json_has_one_key() -> None:
    assert key_of({"a": 1, "b": [2]}) == key_of({"b": [2], "a": 1})
    assert key_of(1) != key_of("1")


def test_an_environments_openings_hold_observation_metadata_and_state(
    opened: Callable[..., Any],
) -> None:
    field, survey = opened("leaked_answer__state:Defect", solve=False)
    first, *_ = field.openings([e.task for e in survey.idle.episodes])
    again, *_ = field.openings([e.task for e in survey.idle.episodes[:1]])
    shown = values_of(first)
    assert (shown["observation.word"], len(shown["state.answer"])) == (".....", 5)
    assert "metadata.success" in shown
    assert unsteady([first], [again]) == {"state.episode_id"}


def test_a_reset_that_fails_has_no_opening(opened: Callable[..., Any]) -> None:
    field, _ = opened("rotten_third_task__split:Sound", solve=False)
    known, unknown = field.openings([{"split": "train"}, {"split": "no such"}])
    assert known is not None
    assert unknown is None


@pytest.mark.parametrize(
    ("value", "how", "said"),
    [
        (["..", ".x"], "row of x", 1),
        (["..", ".x"], "column of x", 1),
        ("..\n.x", "row and column of x", [1, 1]),
        ("the code is 4711", "word -1", 4711),
        ("the code is 4711", "word 0", "the"),
        ("sesame", "backwards", "emases"),
        ("frfnzr", "rot13", "sesame"),
        (base64.b64encode(b"sesame").decode(), "base64", "sesame"),
        (b"42".hex(), "hex, number", 42),
        ([3, 9, 4], "place of the greatest", 1),
        ({"a": 0.2, "b": 0.1, "c": 0.7}, "name of the least", "b"),
        ([False, True, False], "place of the odd one", 1),
    ],
)
def test_a_value_is_read(value: Any, how: str, said: Any) -> None:
    assert dict(readings(value))[how] == said


@pytest.mark.parametrize("value", ["", [], {}, None, 3, "x" * 10_000])
def test_from_nothing_and_from_whole_books_nothing_is_read(value: Any) -> None:
    assert list(readings(value)) == []


def test_a_reading_has_the_path_of_its_source() -> None:
    told = told_by(Opening({}, {"board": [".x", ".."]}, {}, {"note": "word"}))
    assert told["observation.board -> row of x"] == 0
    assert told["state.note"] == "word"
    assert source_of("observation.board -> row of x") == "observation.board"
    assert source_of("state.note") == "state.note"


def test_a_mark_of_what_a_reset_shows_leaves_out_what_differs_at_each() -> None:
    shown: Json = {"task": "sum", "left": 8, "now": "2026-01-02 03:04:05", "tags": ["a", "b"]}
    mark = opening_mark(shown, {})
    assert mark == opening_mark({**shown, "now": "2026-01-02 04:04:05"}, {})
    for name, value in (("episode_count", 7), ("run_id", "x7"), ("elapsed_s", 0.25)):
        assert opening_mark({**shown, name: value}, {}) == opening_mark({**shown, name: 0}, {})
    for name, value in (("left", 2), ("task", "product"), ("tags", ["b", "a"])):
        assert opening_mark({**shown, name: value}, {}) != mark
    # Numbers that go on under any name stand behind the colon.
    counts: Json = {"attempt": 17, "best": 0.83, "last": None, "scores": [0.1, 0.8]}
    began: Json = {"attempt": 1, "best": None, "last": 0.2, "scores": []}
    for key in counts:
        late, early = (opening_mark({**shown, key: some[key]}, {}) for some in (counts, began))
        assert late != early and numberless(late) == numberless(early)
    said = [opening_mark({"message": f"Episode {n} started"}, {}) for n in (17, 18)]
    assert said[0] != said[1] and numberless(said[0]) == numberless(said[1])
    assert numberless(opening_mark({**shown, "task": "product"}, {})) != numberless(mark)
    odd = {"observation.odd": Volatile("a clock")}
    assert opening_mark({"odd": 1}, odd) == opening_mark({"odd": 2}, odd)
