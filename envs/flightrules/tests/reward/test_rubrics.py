"""The bounds of the reward are searched, not only stated."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flightrules.reward.outcome import Outcome
from flightrules.reward.rubrics import FlightScore, components, score

SHARE = st.floats(0.0, 1.0)
ROUNDING = 1e-12


@st.composite
def outcomes(draw: st.DrawFn) -> Outcome:
    f = draw(st.one_of(SHARE, st.sampled_from([0.0, 1.0, 1.0 - 2.0**-53])))
    return Outcome(f, f == 1.0, draw(SHARE), draw(SHARE), draw(SHARE), draw(SHARE))


def pay(outcome: Outcome) -> float:
    return score(components(outcome))


@given(outcomes())
def test_no_failure_pays_more_than_its_share(outcome: Outcome) -> None:
    assert 0.0 <= pay(outcome) <= 1.0
    if not outcome.success:
        assert pay(outcome) <= 0.05 + 0.60 * outcome.f + ROUNDING


@given(outcomes(), outcomes())
def test_every_success_pays_more_than_every_failure(one: Outcome, other: Outcome) -> None:
    if one.success:
        assert pay(one) >= 0.65
        if not other.success:
            assert pay(one) >= pay(other) or other.f > 1.0 - 1e-9


@given(st.integers(1, 8), st.integers(0, 8), SHARE, SHARE, SHARE)
def test_a_missed_directive_costs_more_than_anything_else_earns(
    active: int, kept: int, q: float, legal_share: float, efficiency: float
) -> None:
    """With whole directives, which is how f arises, the gap is strict."""
    nearly = max((active - 1) / active, (kept - 1) / kept if kept else 0.0)
    failure = Outcome(nearly, False, q, legal_share, efficiency, 0.0)
    worst_success = Outcome(1.0, True, 0.0, 0.0, 0.0, 0.0)
    assert pay(failure) < pay(worst_success)


@given(SHARE, SHARE, SHARE)
def test_doing_nothing_earns_at_most_a_twentieth(
    q: float, legal_share: float, efficiency: float
) -> None:
    assert pay(Outcome(0.0, False, q, legal_share, efficiency, 1.0)) <= 0.05


@given(outcomes())
def test_more_of_anything_never_pays_less(outcome: Outcome) -> None:
    better = Outcome(1.0, True, outcome.q, outcome.legal_share, outcome.efficiency, 0.0)
    assert pay(better) >= pay(outcome) - ROUNDING


@given(outcomes())
def test_the_rubric_tree_pays_what_the_formula_says(outcome: Outcome) -> None:
    rubric = FlightScore()
    assert rubric(None, outcome) == pytest.approx(pay(outcome), abs=ROUNDING)
    values = [each.last_score for each in rubric.rubrics()]
    assert values == list(components(outcome).values())


def test_the_weights_are_the_published_ones() -> None:
    assert FlightScore().weights == [0.40, 0.25, 0.20, 0.15]


def test_a_new_episode_forgets_the_last_score() -> None:
    rubric = FlightScore()
    rubric(None, Outcome(1.0, True, 1.0, 1.0, 1.0, 1.0))
    rubric.reset()
    assert [rubric.last_score, *(each.last_score for each in rubric.rubrics())] == [None] * 5


@given(outcomes())
def test_progress_is_in_no_reward(outcome: Outcome) -> None:
    stalled = Outcome(
        outcome.f, outcome.success, outcome.q, outcome.legal_share, outcome.efficiency, 0.0
    )
    assert pay(stalled) == pay(outcome)


@pytest.mark.parametrize(
    "rubric", FlightScore().rubrics(), ids=lambda rubric: type(rubric).__name__
)
def test_every_component_names_three_exploits(rubric: object) -> None:
    said = type(rubric).__doc__ or ""
    assert all(f"{number}. *" in said for number in (1, 2, 3))
