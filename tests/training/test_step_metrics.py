"""What a step's episodes come to."""

from __future__ import annotations

from gonogo.rollouts.episodes import Episode, Turn
from gonogo.training.step_metrics import metrics_of, raw_replies, sample


def test_metrics_leave_lost_episodes_out_and_say_how_many() -> None:
    flown = Episode(
        0, {}, "", "", turns=[Turn("", {}, reply="a"), Turn("", {}, reply="b", invalid="no")],
        episode_return=0.5, success=True, components={"primary": 1.0}, timeout=True,
    )  # fmt: skip
    lost = Episode(1, {}, "", "", error="crash")
    assert metrics_of([flown, lost]) == {
        "reward/overall": 0.5,
        "reward/primary": 1.0,
        "episode/timeout_rate": 1.0,
        "episode/success_rate": 1.0,
        "episode/invalid_rate": 0.5,
        "episode/turns": 2.0,
        "episode/lost": 1.0,
    }
    assert metrics_of([lost]) == {}
    other = Episode(2, {}, "another", "", episode_return=1.0, components={"its": 1.0})
    both = metrics_of([flown, other])  # a component is its environment's own
    assert (both["reward/primary"], both["reward/its"], both["reward/overall"]) == (1.0, 1.0, 0.75)
    assert sample([flown, lost]) == [flown]
    assert raw_replies([flown, flown]) == ["a", "b   <- no"]
