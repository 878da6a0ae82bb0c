"""Has a policy become an exploit: on real flights, and on comparisons made by hand."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from tests.records_made import audit_report, episode_witness, estimate, finding, paired_comparison

from gonogo import config
from gonogo.env.connect import connect
from gonogo.env.environment import Env
from gonogo.env.target import resolve
from gonogo.evaluation.hacking import became_exploit, likenesses
from gonogo.policies.named import find_policy
from gonogo.records.findings import ExploitDistance
from gonogo.records.record import Estimate, Verdict
from gonogo.rollouts.engine import Flight, fly
from gonogo.rollouts.episodes import Episode


def flown(target: Path, *names: str) -> dict[str, list[Episode]]:
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
    said = likened(run, flown(gridworld, "idle", "walker"))
    assert said["idle"][0] == ExploitDistance(exploit="idle", distance=0.0)
    assert said["walker"][0].distance > 0.1


def test_the_findings_of_the_runs_audit_are_exploits_too(gridworld: Path, tmp_path: Path) -> None:
    run = config.load(None, {"target": str(gridworld), "out": str(tmp_path)})
    walker = flown(gridworld, "walker")["walker"][:1]
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
