"""What GO means for a training: who has to be beaten, by what kind of proof, and what is held back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from gonogo.evaluation.verdict import conclude, criteria_of, models_wanted
from gonogo.records.record import Verdict
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.summary import summarize

N = 100
NEEDED = ["untrained", "sft"]


def flown(scores: Sequence[float], *, told: bool = True, lost: int = 0) -> list[Episode]:
    """Episodes of one turn each; a score of 1 is a success, and the first ``lost`` are lost."""
    turns = [Turn("", {})]
    episodes = [
        Episode(i, {"index": i}, "nowhere", "someone", turns=turns, episode_return=float(score))
        for i, score in enumerate(scores)
    ]
    for episode in episodes:
        episode.success = episode.episode_return == 1 if told else None
    for episode in episodes[:lost]:
        episode.error, episode.episode_return, episode.success = "no answer within 2 s", None, None
    return episodes


def ones(count: int) -> list[float]:
    """So many successes of a hundred."""
    return [1.0] * count + [0.0] * (N - count)


def judged(
    wanted: Sequence[str] = NEEDED, **policies: list[Episode]
) -> tuple[Verdict, str, dict[str, str]]:
    """The verdict, its reason, and each criterion's verdict."""
    given = {
        "idle": flown(ones(0)),
        "random": flown(ones(0)),
        "untrained": flown(ones(0)),
        "sft": flown(ones(10)),
    }
    episodes = {name: found for name, found in (given | policies).items() if found}
    criteria = criteria_of(summarize(episodes, [], 0).policies, 0, wanted)
    assert models_wanted(criteria) in (list(wanted), [])
    return *conclude(criteria), {each.id: each.verdict.name for each in criteria}


def test_a_training_that_beats_everybody_is_go_and_the_reason_says_whom() -> None:
    verdict, reason, _ = judged(trained=flown(ones(60)))
    assert verdict is Verdict.GO
    assert "success rises over untrained: +0.600" in reason
    assert "trained - sft on score: +0.500" in reason and "paid more than idle, random" in reason


@pytest.mark.parametrize(
    ("successes", "verdict"), [(1, "NO_GO"), (4, "NO_GO"), (5, "NO_GO"), (6, "GO")]
)
def test_one_percent_of_success_is_no_rise_although_a_bootstrap_may_say_so(
    successes: int, verdict: str
) -> None:
    answer, _, criteria = judged(sft=flown(ones(0)), trained=flown(ones(successes)))
    assert criteria["success"] == criteria["above_untrained"] == verdict
    assert answer.name == verdict


def test_a_score_that_rises_without_success_is_no_go() -> None:
    verdict, reason, _ = judged(trained=flown([0.5] * N), sft=flown([0.1, 0.2] * 50))
    assert verdict is Verdict.NO_GO
    assert reason.startswith("success does not rise over untrained")


@pytest.mark.parametrize("name", ["sft", "idle", "random", 'always {"move": "east"}'])
def test_who_is_paid_as_much_forbids_go(name: str) -> None:
    others = {name: flown(ones(60))}
    verdict, reason, criteria = judged(trained=flown(ones(60)), **others)
    assert verdict is Verdict.NO_GO
    assert criteria[f"above_{name}"] == "NO_GO"
    assert f"trained - {name} on score: +0.000" in reason


def test_more_score_with_less_success_than_imitation_is_no_go() -> None:
    sft = flown([1.0] * 50 + [0.0] * 50)
    trained = flown([1.0] * 20 + [0.9] * 80)
    verdict, reason, criteria = judged(trained=trained, sft=sft)
    assert (verdict, criteria["above_sft"]) == (Verdict.NO_GO, "NO_GO")
    assert "success falls" in reason


@pytest.mark.parametrize("missing", ["untrained", "sft", "idle", "random"])
def test_who_was_not_flown_is_named_and_held(missing: str) -> None:
    verdict, reason, _ = judged(trained=flown(ones(60)), **{missing: []})
    assert verdict is Verdict.HOLD
    assert f"{missing} was not flown" in reason and "evaluation.policies" in reason


def test_without_a_trained_model_there_is_nothing_to_say() -> None:
    assert judged()[0] is Verdict.HOLD


def test_an_environment_without_success_is_judged_by_score_and_says_so() -> None:
    policies: dict[str, Any] = {
        name: flown([level + i / 1000 for i in range(N)], told=False)
        for name, level in (
            ("idle", 0.0),
            ("random", 0.0),
            ("untrained", 0.0),
            ("sft", 0.1),
            ("trained", 0.6),
        )
    }
    verdict, reason, _ = judged(**policies)
    assert verdict is Verdict.GO
    assert "does not say whether an episode succeeded: judged by score alone" in reason


@pytest.mark.parametrize(("lost", "verdict"), [(5, Verdict.GO), (6, Verdict.HOLD)])
def test_too_many_lost_episodes_hold_with_the_commonest_reason(lost: int, verdict: Verdict) -> None:
    answer, reason, _ = judged(trained=flown(ones(60), lost=lost))
    assert answer is verdict
    if verdict is Verdict.HOLD:
        assert "6 of 100 episodes lost; the commonest reason: no answer within 2 s" in reason
