"""Each kind of evidence gets its own advice, and none that it does not bear out."""

from __future__ import annotations

import re
from typing import Any

import pytest

from gonogo.train.probe.advice import advise, advise_all

Json = dict[str, Any]


def measured(**given: Any) -> Json:
    """A model whose actions are valid, that flew everything and is above idle."""
    return {
        "episodes": 10,
        "lost": {},
        "invalid_rate": 0.0,
        "invalid_said": {},
        "timeout_rate": 0.0,
        "same_action": False,
        "tokens": {"context_ran_out": 0, "reply_mean": 8.0},
        "against_idle": {"above": True},
        **given,
    }


BELOW = {"against_idle": {"above": False}}


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        ({"invalid_rate": 1.0, "invalid_said": {"no JSON": 9}, **BELOW}, "warm start.*no JSON"),
        ({"invalid_rate": 0.5}, "50 % of its replies are invalid: a short warm start"),
        ({"same_action": True, **BELOW}, "always the same one"),
        ({"timeout_rate": 1.0, **BELOW}, "ran out of turns"),
        (BELOW, "earn nothing above idle: start with an easier level"),
        ({"lost": {"it timed out": 2}}, "2 episodes were lost.*it timed out"),
        ({"tokens": {"context_ran_out": 3, "reply_mean": 1.0}}, "ran out in 3 of 10"),
        (
            {"tokens": {"context_ran_out": 0, "reply_mean": 47.0}, "invalid_rate": 0.1},
            "cut at 48 tokens",
        ),
    ],
)
def test_the_advice_follows_from_the_evidence(evidence: Json, words: str) -> None:
    (said,) = advise(measured(**evidence), 48)
    assert re.search(words, said)


def test_a_model_that_does_well_gets_none_and_one_that_was_lost_no_judgement() -> None:
    assert advise(measured(), 48) == []
    lost = measured(lost={"died": 10}, invalid_rate=None, tokens=None, **BELOW)
    assert len(advise(lost, 48)) == 1


def test_a_teacher_that_earns_nothing_points_at_the_reward() -> None:
    plain = {"idle": {}, "random": {"against_idle": {"above": False}}}
    rows = [{"name": "a", "measured": None}]
    assert advise_all(rows, plain, 48) == []
    (said,) = advise_all(rows, plain | {"walker": {"against_idle": {"above": False}}}, 48)
    assert said["name"] == "environment" and "audit the reward" in said["advice"]
