"""A replay says what came out otherwise, and a record what it lacks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.types import Transition
from gonogo.rollouts.volatile import Volatile
from gonogo.submission.grade.replay import Replay, lacks
from gonogo.wire import JsonObject as Json

LAST = Transition({"seen": 2}, 1.0, True, {"success": True, "components": {"a": 1.0}})
SAME = Replay(
    [Transition({"seen": 0}, None, False), Transition({"seen": 1}, 0.0, False), LAST],
    {"episode_id": "e", "step_count": 2},
    None,
    0.1,
)


def recorded() -> Episode:
    turns = [
        Turn("", {"seen": 0}, {}, reward=0.0),
        Turn("", {"seen": 1}, {}, reward=1.0, done=True),
    ]
    return Episode(
        0, {}, "t", "p", turns=turns, episode_return=1.0, success=True,
        components={"a": 1.0}, final_observation={"seen": 2},
    )  # fmt: skip


def last(**fields: object) -> Replay:
    return replace(SAME, answers=[*SAME.answers[:-1], replace(LAST, **fields)])  # type: ignore[arg-type]


def test_the_same_again_differs_in_nothing() -> None:
    assert SAME.differs(recorded()) is None
    assert lacks(recorded(), SAME) is None


@pytest.mark.parametrize(
    ("again", "said"),
    [
        (last(observation={"seen": 3}), "step 2: seen was 2, in the replay 3"),
        (last(reward=0.5), "step 2: the reward was 1.0, in the replay 0.5"),
        (last(metadata={"success": False}), "success was True"),
        (last(metadata={"success": True, "components": {"a": 0.5}}), "components were"),
        (
            replace(SAME, answers=SAME.answers[:-1]),
            "step 2: the reward was 1.0, in the replay None",
        ),
        (replace(SAME, lost="it died"), "the replay was lost: it died"),
    ],
)
def test_the_first_difference_is_said(again: Replay, said: str) -> None:
    found = again.differs(recorded())
    assert found is not None
    assert said in found


def test_a_verdict_is_apart_from_what_is_seen() -> None:
    assert last(observation={"seen": 3}).judged(recorded()) is None
    assert last(reward=0.5).judged(recorded()) is not None


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (None, "no episode_id"),
        ({"episode_id": "e", "step_count": 1}, "counts 1 steps after 2"),
        ({"episode_id": "e", "step_count": 3}, "counts 3 steps after 2"),
        ({"episode_id": "e", "step_count": True}, "counts True steps"),
    ],
)
def test_a_record_that_is_not_whole_says_why(state: Json | None, said: str) -> None:
    found = lacks(recorded(), replace(SAME, state=state))
    assert found is not None
    assert said in found


def test_an_unpaid_episode_makes_no_whole_record() -> None:
    unpaid = recorded()
    unpaid.episode_return = None
    assert "gave a reward" in str(lacks(unpaid, SAME))


def test_a_clock_is_no_difference() -> None:
    noise = {"observation.at": Volatile("a clock", "a clock")}
    before = replace(recorded(), final_observation={"seen": 2, "at": "10:11:12"})
    later = last(observation={"seen": 2, "at": "13:14:15"})
    assert "at was" in str(later.differs(before))
    assert later.differs(before, noise) is None
    assert "seen was" in str(last(observation={"seen": 3, "at": "1:02:03"}).differs(before, noise))
