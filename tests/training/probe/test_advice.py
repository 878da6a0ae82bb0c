"""Each kind of evidence gets its own advice, and none that it does not bear out."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.records_made import idle_comparison, measured_model, measured_policy, ranked_model

from gonogo.records.probe import EpisodeTokens
from gonogo.training.probe.advice import advise, advise_all

BELOW = {"against_idle": idle_comparison(above=False)}


def tokens(ran_out: int, reply: float) -> EpisodeTokens:
    """Of replies of so many tokens in the mean."""
    return EpisodeTokens(
        mean=50.0, longest=60, reply_mean=reply, reply_longest=48, context_ran_out=ran_out
    )


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        ({"invalid_rate": 1.0, "invalid_said": {"no JSON": 9}, **BELOW}, "warm start.*no JSON"),
        ({"invalid_rate": 0.5}, "50 % of its replies are invalid: a short warm start"),
        ({"same_action": True, **BELOW}, "always the same one"),
        ({"timeout_rate": 1.0, **BELOW}, "ran out of turns"),
        (BELOW, "earn nothing above idle: start with an easier level"),
        ({"lost": {"it timed out": 2}}, "2 episodes were lost.*it timed out"),
        ({"tokens": tokens(3, 1.0)}, "ran out in 3 of 10"),
        (
            {"tokens": tokens(0, 47.0), "invalid_rate": 0.1},
            "cut at 48 tokens",
        ),
    ],
)
def test_the_advice_follows_from_the_evidence(evidence: dict[str, Any], words: str) -> None:
    (said,) = advise(measured_model(**evidence), 48)
    assert re.search(words, said)


def test_a_model_that_does_well_gets_none_and_one_that_was_lost_no_judgement() -> None:
    assert advise(measured_model(), 48) == []
    lost = measured_model(lost={"died": 10}, invalid_rate=None, tokens=None, **BELOW)
    assert len(advise(lost, 48)) == 1


def test_a_teacher_that_earns_nothing_points_at_the_reward() -> None:
    plain = {"idle": measured_policy(), "random": measured_policy(**BELOW)}
    rows = [ranked_model("a", None)]
    assert advise_all(rows, plain, 48) == ()
    (said,) = advise_all(rows, plain | {"walker": measured_policy(**BELOW)}, 48)
    assert said.name == "environment" and "audit the reward" in said.advice
