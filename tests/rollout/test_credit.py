"""Advantages, checked against numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from gonogo.rollout.credit import EPSILON, Credit, advantages, returns_to_go
from gonogo.rollout.episodes import Episode, Turn

EPISODE = Credit("episode", invalid_penalty=0.5, potential_weight=0.5)
TURN = Credit("turn", invalid_penalty=0.5, potential_weight=0.5)


def episode(
    score: float | None, potentials: list[float | None], invalid: int = 0, error: str | None = None
) -> Episode:
    """An episode; the first potential is the one at its start."""
    turns = [Turn("", {}, potential=value) for value in potentials[1:]]
    for turn in turns[:invalid]:
        turn.invalid = "no"
    return Episode(
        0, {}, "", "", turns=turns, episode_return=score, potential_at_start=potentials[0],
        error=error,
    )  # fmt: skip


def test_a_turn_is_paid_what_is_still_to_come() -> None:
    flown = episode(0.8, [0.1, 0.5, 1.0], invalid=1)
    to_go = returns_to_go(flown, TURN)
    # 0.8 - 0.5 * 1/2 + 0.5 * (1.0 - potential before the turn)
    assert to_go == pytest.approx([0.55 + 0.45, 0.55 + 0.25])
    assert returns_to_go(flown, EPISODE) == pytest.approx([0.55, 0.55])


def test_without_a_potential_a_turn_is_paid_the_return() -> None:
    assert returns_to_go(episode(0.8, [None, 0.5]), TURN) == pytest.approx([0.8])


def test_a_lost_episode_cannot_be_scored() -> None:
    assert returns_to_go(episode(0.8, [0.0, 0.5], error="crash"), TURN) is None
    assert returns_to_go(episode(None, [0.0, 0.5]), TURN) is None
    assert returns_to_go(episode(0.8, [0.0]), TURN) is None


def test_episode_credit_is_the_same_for_all_its_turns() -> None:
    group = [episode(1.0, [0, 0, 0]), episode(0.0, [0, 0])]
    [[first, second]] = advantages([group], EPISODE)
    assert first == pytest.approx([0.5 / (0.5 + EPSILON)] * 2)
    assert second == pytest.approx([-0.5 / (0.5 + EPSILON)])


def test_turn_credit_compares_the_same_turn_and_scales_all_turns_alike() -> None:
    group = [
        episode(1.0, [0.0, 1.0, 1.0]),  # to go: 1.5, 1.0
        episode(0.0, [0.0, 0.0, 0.0]),  # to go: 0.0, 0.0
    ]
    spread = (0.75 + 0.5) / 2 + EPSILON
    [[first, second]] = advantages([group], TURN)
    assert first == pytest.approx([0.75 / spread, 0.5 / spread])
    assert second == pytest.approx([-0.75 / spread, -0.5 / spread])


def test_a_turn_that_one_episode_reached_teaches_nothing() -> None:
    [[long, short]] = advantages([[episode(1.0, [0, 0, 0, 0]), episode(0.0, [0, 0])]], TURN)
    assert long[0] > 0 > short[0]
    assert long[1:] == pytest.approx([0.0, 0.0])


@pytest.mark.parametrize("credit", [EPISODE, TURN])
def test_lost_episodes_take_no_part(credit: Credit) -> None:
    scored = [episode(1.0, [0, 0, 0]), episode(0.0, [0, 0, 0])]
    lost = episode(None, [0, 0, 0], error="crash")
    [with_lost] = advantages([[scored[0], lost, scored[1]]], credit)
    [alone] = advantages([scored], credit)
    assert with_lost[0] == pytest.approx(alone[0])
    assert with_lost[2] == pytest.approx(alone[1])
    assert (with_lost[1] == 0).all()


@pytest.mark.parametrize("credit", [EPISODE, TURN])
@pytest.mark.parametrize(
    "group",
    [
        [episode(0.5, [0, 0]), episode(0.5, [0, 0])],
        [episode(None, [0, 0], error="x"), episode(None, [0, 0, 0], error="x")],
        [episode(0.5, [0, 0]), episode(None, [0], error="x")],
        [],
    ],
)
def test_a_group_without_differences_teaches_nothing(group: list[Episode], credit: Credit) -> None:
    [found] = advantages([group], credit)
    for flown, values in zip(group, found, strict=True):
        assert values.shape == (len(flown.turns),)
        assert np.abs(values).sum() == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("credit", [EPISODE, TURN])
def test_a_task_that_made_no_difference_is_not_blown_up(credit: Credit) -> None:
    clear = [episode(1.0, [0, 0]), episode(0.0, [0, 0])]
    faint = [episode(0.01, [0, 0]), episode(0.0, [0, 0])]
    (sure, _), (weak, _) = advantages([clear, faint], credit)
    scale = (0.5 + 0.005) / 2 + EPSILON
    assert sure == pytest.approx([0.5 / scale])
    assert weak == pytest.approx([0.005 / scale])


def test_no_groups_no_advantages() -> None:
    assert advantages([], TURN) == []
