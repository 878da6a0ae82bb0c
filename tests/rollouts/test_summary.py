"""Numbers from episodes: what is counted and what is left out; lost episodes, and too many above a share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gonogo.errors import EnvironmentFailure
from gonogo.records.evaluation import LostEpisode, PairedComparison
from gonogo.records.record import Estimate
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.summary import (
    Losses,
    check_losses,
    choose_pair,
    default_pairs,
    losses_in_words,
    oddities,
    summarize,
    too_many,
)


def flown(scores: list[float | None], **fields: Any) -> list[Episode]:
    """Episodes of one turn each; None is one that infrastructure lost."""
    return [
        Episode(
            index,
            {"index": index},
            "nowhere",
            "someone",
            turns=[Turn("", {})],
            **{
                "episode_return": score,
                "success": None if score is None else score > 0.5,
                "error": "the worker died" if score is None else None,
                **fields,
            },
        )
        for index, score in enumerate(scores)
    ]


def compared(base: list[Episode], other: list[Episode]) -> PairedComparison:
    said = summarize({"untrained": base, "trained": other}, [("untrained", "trained")], 0)
    return said.comparisons[0]


def test_a_lost_episode_takes_its_pair_out_of_the_comparison() -> None:
    row = compared(flown([0.0, None, 0.2, 0.4]), flown([0.5, 0.9, None, 0.6]))
    assert (row.episodes, row.excluded) == (2, 2)
    assert row.score_difference.mean == pytest.approx((0.5 + 0.2) / 2)


def test_a_comparison_is_by_score_and_by_success() -> None:
    base = [0.05, 0.1, 0.15, 0.6, 0.25, 0.7, 0.3, 0.35]
    better = [0.6, 0.7, 0.4, 0.8, 0.75, 0.9, 0.85, 0.45]
    row = compared(flown([*base]), flown([*better]))
    assert (row.baseline, row.candidate) == ("untrained", "trained")
    assert row.success_difference.mean == pytest.approx(0.5)
    assert row.mcnemar_p == pytest.approx(0.125)
    assert row.score_difference.above(0)
    assert row.improvement_percent == pytest.approx(100 * (sum(better) / sum(base) - 1))


def test_a_lost_episode_is_counted_and_no_score() -> None:
    entry = summarize({"a": flown([0.2, None, 0.6])}, [], 0).policies["a"]
    assert entry.score.mean == pytest.approx(0.4)
    assert entry.episodes == 2
    assert entry.lost == (LostEpisode(index=1, error="the worker died"),)
    assert entry.flown.score == (0.2, None, 0.6)


@pytest.mark.parametrize("unpaid", [None, float("inf"), float("nan")])
def test_what_was_not_paid_or_not_finite_is_no_score(unpaid: float | None) -> None:
    episodes = flown([0.2, 0.4])
    episodes[1].episode_return = unpaid
    entry = summarize({"a": episodes}, [], 0).policies["a"]
    assert (entry.episodes, entry.unscored, entry.lost) == (1, 1, ())


def test_silence_about_success_is_no_success_where_others_were_judged() -> None:
    episodes = flown([0.2, 0.9])
    episodes[0].success = None
    assert summarize({"a": episodes}, [], 0).policies["a"].success.mean == 0.5


def test_no_success_rate_where_the_environment_never_says() -> None:
    said = summarize({"a": flown([0.2, 0.9], success=None)}, [], 0).policies["a"].success
    assert said == Estimate(mean=None, ci95=None, note="the environment does not say")


def test_a_number_does_not_depend_on_which_others_were_computed() -> None:
    scores: list[float | None] = [float(x) for x in np.linspace(0, 1, 20)]
    alone = summarize({"b": flown(scores)}, [], 3).policies["b"]
    beside = summarize({"a": flown([0.1, 0.2] * 10), "b": flown(scores)}, [("a", "b")], 3)
    assert beside.policies["b"] == alone


def test_everybody_is_compared_with_trained_or_else_the_last() -> None:
    assert default_pairs(["idle", "trained", "sft"]) == [("idle", "trained"), ("sft", "trained")]
    assert default_pairs(["idle", "random"]) == [("idle", "random")]
    assert default_pairs(["idle"]) == []


def test_what_outgrew_the_context_and_who_was_refused_is_said() -> None:
    full = flown([0.2, 0.9])
    full[1].context_overflow = True
    refused = flown([0.0, 0.0])
    for episode in refused:
        episode.turns[0].invalid = "no such action"
    said = summarize({"model": full, "idle": refused, "sound": flown([0.1, 0.2])}, [], 0)
    policies = said.policies
    assert policies["model"].flown.context_overflow == (False, True)
    assert "context_overflow" not in policies["sound"].flown.model_dump()
    first, second = oddities(policies)
    assert first.startswith("model: 1 of its 2 episodes outgrew the model's context")
    assert second.startswith("idle: the environment refused 100 % of its actions")
    refused[0].decoding = "greedy"
    assert not oddities(summarize({"untrained": refused}, [], 0).policies)


def test_without_models_the_first_and_the_last_stand_in() -> None:
    assert choose_pair(["idle", "random", "oracle"]) == ("idle", "oracle")
    assert choose_pair(["a", "trained", "untrained"]) == ("untrained", "trained")


def test_the_commonest_reason_is_told_although_its_numbers_differ() -> None:
    errors = ["it died", "no answer within 2 s in slot 3", "no answer within 2 s in slot 4"]
    said = losses_in_words(errors, 40)
    assert said.startswith(
        "3 of 40 episodes lost; the commonest reason (of 2): no answer within 2 s in slot 3"
    )


@pytest.mark.parametrize(("lost", "answer"), [(0, False), (5, False), (6, True), (100, True)])
def test_more_than_a_twentieth_is_too_many(lost: int, answer: bool) -> None:
    assert too_many(lost, 100) is answer


def test_few_are_said_and_many_are_a_failure_that_is_held() -> None:
    assert check_losses("traces", [], 100) is None
    assert check_losses("traces", ["it died"], 100) == (
        "traces: 1 of 100 episodes lost; the commonest reason: it died"
    )
    with pytest.raises(EnvironmentFailure, match=r"traces: 64 of 100 .* more than 5%") as caught:
        check_losses("traces", ["no answer within 5 s"] * 64, 100)
    assert caught.value.exit_code == 3


def test_what_is_lost_batch_by_batch_holds_as_soon_as_it_is_more_than_is_borne_of_all() -> None:
    losses = Losses("flights", 100)
    assert losses.take([]) is None
    assert losses.take(["it died"] * 3) == (
        "flights: 3 of 100 episodes lost; the commonest reason: it died"
    )
    resumed = Losses("flights", 100)
    resumed.restore(losses.state())
    resumed.take(["it died"] * 2)
    with pytest.raises(EnvironmentFailure, match="flights: 6 of 100 episodes lost"):
        resumed.take(["it died"])
    assert len(losses.errors) == 3
