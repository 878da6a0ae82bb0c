"""What a record says of the success that an audit assumed."""

from __future__ import annotations

import pytest

from gonogo.records.success import LIKELY, JudgedSuccess, SaidBy, SuccessCandidate


def judged(said_by: SaidBy, *, word: bool = True, circular: bool = False) -> JudgedSuccess:
    """A success by ``x``, beside another candidate that is a word for it."""
    candidates = [
        SuccessCandidate(
            expression=name, strength=3, why="", held=1, ends=2, return_held=1, return_else=0,
            circular=circular, word=word or name == "y",
        )
        for name in ("x", "y")
    ]  # fmt: skip
    return JudgedSuccess(said_by=said_by, expression="x", why="", candidates=tuple(candidates))


@pytest.mark.parametrize("said_by", ["given", "environment", "nobody"])
def test_what_is_not_assumed_is_said_without_a_reserve(said_by: SaidBy) -> None:
    success = judged(said_by, word=False)
    assert (success.assumed, success.under, success.doubtful) == (None, "", False)


def test_what_is_assumed_is_said_and_a_mark_is_doubtful() -> None:
    success = judged("assumed")
    assert (success.assumed, success.doubtful) == ("x", False)
    assert success.under == "under the assumed success `x`"
    assert judged("assumed", word=False).doubtful


def test_what_is_proposed_with_some_reason_is_told_where_nobody_says_success() -> None:
    nobody = judged("nobody")
    assert nobody.likeliest == "x"
    weak = tuple(c.model_copy(update={"strength": LIKELY - 0.1}) for c in nobody.candidates)
    assert nobody.model_copy(update={"candidates": weak}).likeliest is None
    assert [judged(who).likeliest for who in ("assumed", "given", "environment")] == [
        "x",
        None,
        None,
    ]


def test_a_mark_on_the_reward_is_said_to_judge_it_by_itself() -> None:
    said = judged("assumed", word=False, circular=True).under
    assert said == "under the assumed success `x`, by which the reward is judged by itself"
