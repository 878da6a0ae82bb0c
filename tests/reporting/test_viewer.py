"""What the replay viewer is given: which tasks, why, and each flight as numbers and texts."""

from __future__ import annotations

import math
from typing import Any

from gonogo.reporting import viewer as replay
from gonogo.reporting.viewer import (
    MOST_CHARS,
    MOST_TASKS,
    choose_tasks,
    final_of,
    finite,
    flight_of,
    replay_of,
    turn_of,
)
from gonogo.rollouts.episodes import Episode, Turn


def flight(
    index: int, score: float | None, *, success: bool | None = True, **fields: Any
) -> Episode:
    turns = [Turn("", {"left": 2 - n}, {"move": n}, reward=0.5) for n in range(2)]
    given: dict[str, Any] = {"turns": turns, "final_observation": {"left": 0}, **fields}
    return Episode(
        index, {"index": index}, "t", "p", episode_return=score, success=success, **given
    )


def test_the_shown_task_comes_first_then_failures_then_the_extremes() -> None:
    before = [flight(n, 0.0) for n in range(8)]
    scores = [0.5, 0.9, 0.1, None, 0.4, 0.3, 0.2, 0.6]
    after = [flight(n, score, success=n not in {4, 5, 6}) for n, score in enumerate(scores)]
    assert choose_tasks(before, after, 7) == [
        (7, "the second agent's median score"),
        (4, "the second agent fails"),
        (5, "the second agent fails"),
        (2, "the smallest gain in score"),
        (1, "the largest gain in score"),
    ]
    assert len(choose_tasks(before, after, None)) == MOST_TASKS
    # One task may be chosen for several reasons, and is shown once, for the first of them.
    assert choose_tasks(before[:1], after[:1], 0) == [(0, "the second agent's median score")]


def test_both_agents_fly_each_task() -> None:
    episodes = {
        "untrained": [flight(0, 0.0)],
        "idle": [flight(0, 0.1)],
        "trained": [flight(0, 0.9)],
    }
    data = replay_of(episodes, 0)
    assert data is not None and data.pair == ("untrained", "trained")
    (task,) = data.tasks
    assert (task.label, task.unit) == ("Task 0 (index=0)", "Turn")
    assert [each.score for each in task.flights] == [0.0, 0.9]
    assert replay_of({}, None) is None


def test_tasks_end_where_the_page_would_grow_too_large(monkeypatch: Any) -> None:
    episodes = {name: [flight(n, 0.5) for n in range(4)] for name in ("untrained", "trained")}
    monkeypatch.setattr(replay, "MOST_BYTES", 10)
    data = replay_of(episodes, None)
    assert data is not None and len(data.tasks) == 1, "the first one is shown whatever its size"


def test_a_flight_that_was_lost_has_a_time_for_each_turn_and_one_more() -> None:
    lost = flight(0, None, error="it died", final_observation={})
    shown = flight_of(lost, ())
    assert shown.lost == "it died"
    assert len(shown.clock) == len(lost.turns) + 1


def test_the_potential_is_a_signal_where_the_environment_says_one() -> None:
    turns = [Turn("", {}, {}, potential=0.5), Turn("", {}, {}, potential=math.inf)]
    shown = flight_of(flight(0, 0.0, turns=turns, potential_at_start=0.25), ())
    (panel,) = shown.panels
    assert (panel.label, panel.v) == ("Progress", [[0.25, 0.5, None]])
    assert flight_of(flight(0, 0.0), ()).panels == []


def test_a_turn_is_told_in_texts_that_are_cut() -> None:
    plain = turn_of(Turn("", {"a": 1, "b": "x"}, {"move": "é"}, reward=1 / 3))
    assert (plain.saw, plain.did, plain.refused) == ("a: 1\nb: x", '{"move": "é"}', None)
    assert plain.reward == 0.333333
    refused = turn_of(Turn("y" * 9999, {}, None, reply="I go.", invalid="no JSON"))
    assert (refused.did, refused.refused, refused.reward) == ("I go.", "no JSON", None)
    assert len(refused.saw) <= MOST_CHARS + 1


def test_the_last_numbers_are_named_by_where_they_stand() -> None:
    told = {
        "components": {"a": 1.0, "b": True},
        "robustness": {"D1": 0.5},
        "left": 3,
        "x": math.nan,
    }
    found = final_of(flight(0, 0.0, final_metadata=told))
    assert found == [("a", 1.0), ("robustness D1", 0.5), ("left", 3.0)]
    assert (finite(math.inf), finite(1.23456789)) == (None, 1.23457)
