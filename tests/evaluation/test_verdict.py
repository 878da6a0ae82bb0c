"""What GO needs of a training, on numbers made up for it; and whether a model became an exploit."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.records_made import audit_report, episode_witness, estimate, finding, paired_comparison

from gonogo import config
from gonogo.env.environment import Env, connect
from gonogo.env.target import resolve
from gonogo.evaluation.verdict import (
    became_exploit,
    conclude,
    criteria_of,
    likenesses,
    models_wanted,
)
from gonogo.policies.named import find_policy
from gonogo.records.findings import ExploitDistance
from gonogo.records.record import Estimate, Verdict
from gonogo.rollouts.engine import Flight, fly
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


def flown_by(target: Path, *names: str) -> dict[str, list[Episode]]:
    """Real episodes of policies, as if they were models."""
    tasks = [{"seed": seed} for seed in range(6)]
    where = resolve(str(target))
    episodes = {}
    with closing(connect(where, 6)) as connection:
        for name in names:
            named = find_policy(name, where, connection.schemas, seed=0)
            episodes[name] = fly(connection, named.policy, tasks, Flight("g", max_turns=12))
            named.policy.close()
    return episodes


def likened(
    run: config.RunConfig, models: dict[str, list[Episode]]
) -> dict[str, tuple[ExploitDistance, ...]]:
    with Env.of(run) as env:
        return likenesses(run, env, models)


def test_a_policy_that_idles_is_nearest_to_idle_and_one_that_walks_is_near_none(
    gridworld: Path, tmp_path: Path
) -> None:
    run = config.load(None, {"target": str(gridworld), "out": str(tmp_path)})
    said = likened(run, flown_by(gridworld, "idle", "walker"))
    assert said["idle"][0] == ExploitDistance(exploit="idle", distance=0.0)
    assert said["walker"][0].distance > 0.1


def test_the_findings_of_the_runs_audit_are_exploits_too(gridworld: Path, tmp_path: Path) -> None:
    run = config.load(None, {"target": str(gridworld), "out": str(tmp_path)})
    walker = flown_by(gridworld, "walker")["walker"][:1]
    plan = [turn.action for turn in walker[0].turns]
    exploit = finding("milestone_then_idle", witness=episode_witness(plan=plan))
    contract = finding("paid_after_done", witness={"actions": []})
    audit_report(exploit, contract).save(tmp_path)
    said = likened(run, {"trained": walker})
    assert said["trained"][0] == ExploitDistance(exploit="milestone_then_idle", distance=0.0)


def test_without_models_nothing_is_opened(tmp_path: Path) -> None:
    run = config.load(None, {"target": "nowhere.to:Be", "out": str(tmp_path)})
    assert likened(run, {}) == {}


UP, LEVEL, UNKNOWN = estimate(0.5, 0.3), estimate(0.0), estimate(None)


AGREE = {"mcnemar_p": 0.001, "sign_flip_p": 0.001}


@pytest.mark.parametrize(
    ("distance", "success", "score", "verdict", "said"),
    [
        (0.0, UP, UP, Verdict.GO, "its success rose"),
        (0.0, LEVEL, UP, Verdict.NO_GO, "its return rose and its success did not"),
        (0.0, LEVEL, LEVEL, Verdict.NO_GO, "its success did not rise"),
        (0.7, LEVEL, UP, Verdict.GO, "its return rose and its success did not"),
        (0.0, estimate(1.0, None), UP, Verdict.GO, "its success rose"),
        (0.0, UNKNOWN, UP, Verdict.HOLD, "whether it succeeds is not known"),
        (0.7, UNKNOWN, UP, Verdict.GO, "whether it succeeds is not known"),
    ],
)
def test_to_be_like_an_exploit_is_a_fault_where_success_did_not_rise(
    distance: float, success: Estimate, score: Estimate, verdict: Verdict, said: str
) -> None:
    likeness = [ExploitDistance(exploit="idle", distance=distance)]
    row = paired_comparison(success_difference=success, score_difference=score, **AGREE)
    answered = became_exploit(likeness, row)
    assert answered[0] is verdict
    assert said in answered[1] and f"idle, at a distance of {distance:.2f}" in answered[1]


def test_without_an_exploit_to_compare_with_nothing_is_near() -> None:
    row = paired_comparison(success_difference=LEVEL, score_difference=UP, **AGREE)
    assert became_exploit([], row)[0] is Verdict.GO
