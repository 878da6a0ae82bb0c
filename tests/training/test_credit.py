"""Advantages, checked against numbers worked out by hand."""

from __future__ import annotations

from collections import defaultdict
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from gonogo.rollouts.episodes import Episode, Turn
from gonogo.training.credit import (
    EPSILON,
    Credit,
    advantages,
    anchor_of,
    discounted,
    returns_to_go,
    silence_pays,
)

EPISODE = Credit("episode", invalid_penalty=0.5, potential_weight=0.5)
TURN = Credit("turn", invalid_penalty=0.5, potential_weight=0.5)
GIGPO = Credit("gigpo", invalid_penalty=0.5, step_weight=2.0, discount=0.5)
ALL = (EPISODE, TURN, GIGPO)


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


def test_what_was_paid_before_a_turn_is_not_its_doing() -> None:
    flown = episode(0.75, [None, None, None, None])
    for turn, reward in zip(flown.turns, [0.5, None, 0.25], strict=True):
        turn.reward = reward
    assert returns_to_go(flown, TURN) == pytest.approx([0.75, 0.25, 0.25])
    assert returns_to_go(flown, EPISODE) == pytest.approx([0.75, 0.75, 0.75])


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


@pytest.mark.parametrize("credit", ALL)
def test_lost_episodes_take_no_part(credit: Credit) -> None:
    scored = [episode(1.0, [0, 0, 0]), episode(0.0, [0, 0, 0])]
    lost = episode(None, [0, 0, 0], error="crash")
    [with_lost] = advantages([[scored[0], lost, scored[1]]], credit)
    [alone] = advantages([scored], credit)
    assert with_lost[0] == pytest.approx(alone[0])
    assert with_lost[2] == pytest.approx(alone[1])
    assert (with_lost[1] == 0).all()


@pytest.mark.parametrize("credit", ALL)
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


@pytest.mark.parametrize("credit", ALL)
def test_a_task_that_made_no_difference_is_not_blown_up(credit: Credit) -> None:
    clear = [episode(1.0, [0, 0]), episode(0.0, [0, 0])]
    faint = [episode(0.01, [0, 0]), episode(0.0, [0, 0])]
    (sure, _), (weak, _) = advantages([clear, faint], credit)
    scale = (0.5 + 0.005) / 2 + EPSILON
    assert sure == pytest.approx([0.5 / scale])
    assert weak == pytest.approx([0.005 / scale])


def test_no_groups_no_advantages() -> None:
    assert advantages([], TURN) == []


def walk(*decided: tuple[str, float | None], invalid: bool = False) -> Episode:
    """An episode by its turns' anchors and rewards."""
    turns = [Turn(f"saw {anchor}", {}, reward=paid, anchor=anchor) for anchor, paid in decided]
    if invalid:
        turns[0].invalid = "no"
    return Episode(0, {}, "", "", turns=turns, episode_return=sum(paid or 0 for _, paid in decided))


def test_rewards_are_discounted_by_how_far_away_they_are() -> None:
    flown = walk(("a", None), ("b", 0.4), ("c", 1.0), invalid=True)
    # the penalty of 0.5 / 3 stands at the turn that was refused
    assert discounted(flown, GIGPO) == pytest.approx([0.2 + 0.25 - 0.5 / 3, 0.4 + 0.5, 1.0])


def test_gigpo_compares_what_was_done_in_the_same_state() -> None:
    group = [walk(("a", 0.0), ("b", 1.0)), walk(("b", 0.0), ("a", 0.0))]
    [[first, second]] = advantages([group], GIGPO)
    # by episode +-0.5 of a spread of 0.5; at a: 0.5 and 0; at b: 1 and 0; their spreads 0.25 and 0.5
    whole, spread = 0.5 / (0.5 + EPSILON), (0.25 + 0.5) / 2 + EPSILON
    assert first == pytest.approx([whole + 2 * 0.25 / spread, whole + 2 * 0.5 / spread])
    assert second == pytest.approx([-whole - 2 * 0.5 / spread, -whole - 2 * 0.25 / spread])


def test_states_without_a_key_are_the_same_where_their_text_is() -> None:
    group = [episode(1.0, [0, 0]), episode(0.0, [0, 0])]
    group[0].turns[0].reward = 1.0
    group[0].turns[0].text = group[1].turns[0].text = "a lone \ud800"
    assert anchor_of(group[0].turns[0]) == anchor_of(group[1].turns[0])
    [[first, _]] = advantages([group], GIGPO)
    [[alone, _]] = advantages([group], EPISODE)
    assert first[0] > alone[0] > 0


def test_anchors_of_different_tasks_are_not_compared() -> None:
    groups = [[walk(("a", 1.0)), walk(("b", 1.0))], [walk(("a", 0.0)), walk(("b", 0.0))]]
    assert all((values == 0).all() for group in advantages(groups, GIGPO) for values in group)


@st.composite
def flights(draw: st.DrawFn) -> list[list[Episode]]:
    """Groups of episodes, some lost, over few anchors, so that these repeat."""
    number = st.floats(-2, 2, allow_subnormal=False)

    def one() -> Episode:
        anchors = draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=4))
        flown = walk(*[(anchor, draw(number)) for anchor in anchors], invalid=draw(st.booleans()))
        flown.potential_at_start = 0.0
        for turn in flown.turns:
            turn.potential = draw(st.floats(0, 1))
        if draw(st.integers(0, 5)) == 0:
            flown.error = "crash"
        return flown

    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    return [[one() for _ in range(size)] for size in sizes]


Found = list[list[NDArray[np.float64]]]


def apart_from(groups: list[list[Episode]], credit: Credit) -> Found:
    """What GiGPO adds to the advantages by episode."""
    whole = Credit("episode", credit.invalid_penalty)
    both = zip(advantages(groups, credit), advantages(groups, whole), strict=True)
    return [[a - b for a, b in zip(*pair, strict=True)] for pair in both]


@settings(deadline=None)
@given(flights())
def test_advantages_sum_to_zero_where_they_compare(groups: list[list[Episode]]) -> None:
    for group, values in zip(groups, advantages(groups, EPISODE), strict=True):
        assert sum(each[0] for each in values) == pytest.approx(0, abs=1e-6), group
    for values in advantages(groups, TURN):
        for turn in range(max(map(len, values))):
            reached = [each[turn] for each in values if turn < len(each)]
            assert sum(reached) == pytest.approx(0, abs=1e-6)
    for group, added in zip(groups, apart_from(groups, GIGPO), strict=True):
        sums: dict[str, float] = defaultdict(float)
        for flown, each in zip(group, added, strict=True):
            for turn, value in zip(flown.turns, each, strict=True):
                sums[anchor_of(turn)] += value
        assert all(total == pytest.approx(0, abs=1e-6) for total in sums.values())


@settings(deadline=None)
@given(flights(), st.randoms(use_true_random=False), st.sampled_from(ALL))
def test_the_order_of_episodes_and_groups_does_not_matter(
    groups: list[list[Episode]], rng: Random, credit: Credit
) -> None:
    shuffled = [list(group) for group in groups]
    for group in [*shuffled, shuffled]:
        rng.shuffle(group)
    straight = {
        id(flown): values
        for group, found in zip(groups, advantages(groups, credit), strict=True)
        for flown, values in zip(group, found, strict=True)
    }
    for group, found in zip(shuffled, advantages(shuffled, credit), strict=True):
        for flown, values in zip(group, found, strict=True):
            assert values == pytest.approx(straight[id(flown)], rel=1e-6, abs=1e-6)


@settings(deadline=None)
@given(flights(), st.sampled_from(ALL))
def test_a_lost_episode_teaches_nothing_and_changes_nothing(
    groups: list[list[Episode]], credit: Credit
) -> None:
    kept = [[flown for flown in group if flown.error is None] for group in groups]
    for group, found, alone in zip(
        groups, advantages(groups, credit), advantages(kept, credit), strict=True
    ):
        others = iter(alone)
        for flown, values in zip(group, found, strict=True):
            wanted = np.zeros(len(values)) if flown.error is not None else next(others)
            assert values == pytest.approx(wanted)


@settings(deadline=None)
@given(flights())
def test_where_no_anchor_repeats_gigpo_is_credit_by_episode(groups: list[list[Episode]]) -> None:
    for group in groups:
        for place, flown in enumerate(group):
            for number, turn in enumerate(flown.turns):
                turn.anchor = f"{place} {number}"
    assert all((each == 0).all() for group in apart_from(groups, GIGPO) for each in group)


def test_a_reward_that_pays_silence_more_than_an_episode_says_what_to_raise() -> None:
    walked, lost = episode(-3.2, [None, None]), episode(None, [None, None], error="lost")
    said = silence_pays([episode(1.0, [None, None]), walked, lost], 0.5)
    assert said is not None and "raise train.grpo.invalid_penalty above 3.2" in said
    assert silence_pays([walked, lost], 3.2) is None
    assert silence_pays([lost], 0.0) is None
