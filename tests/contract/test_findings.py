"""A checked item with the finding that it proves, and a broken contract as an episode to fly again."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.records_made import contract_item

from gonogo import config
from gonogo.contract.findings import (
    CHECKS,
    OVER,
    SHOWS,
    WITNESSES,
    episode,
    failed,
    findings,
    not_applicable,
    passed,
    shows,
    worst,
)
from gonogo.contract.tasks import Task
from gonogo.contract.trajectories import Proof, Shot, Trace
from gonogo.records.contract import ItemEvidence
from gonogo.records.findings import ContractWitness, FirstDifference
from gonogo.rollouts.types import Failure, Transition
from gonogo.wire import Action

TASK = Task({"level": 2}, "manifest")
GO: Action = {"go": 1}
STOP: Action = {"go": 0}


def test_what_passes_or_cannot_be_judged_proves_nothing() -> None:
    evidence = ItemEvidence(rewards=7)
    for item, verdict in (
        (passed("reward_finite", "all are", TASK, evidence), "pass"),
        (not_applicable("reward_finite", "none was given", TASK, evidence), "na"),
    ):
        assert (item.checked.verdict, item.checked.task) == (verdict, {"level": 2})
        assert item.checked.evidence == evidence
        assert (item.finding, item.proof, item.checked.finding) == (None, None, None)


def test_what_fails_has_its_finding_and_the_flight_that_proves_it() -> None:
    flight = Trace({"seed": 3}, [Shot(None, Transition({}, None, False), None, None)])
    proof = flight.witness()
    item = failed("episode", "dies", "it died", TASK, proof)
    assert item.proof is proof and item.finding is not None
    assert item.checked.finding == item.finding.id == "dies"
    assert item.finding.witness == proof.witness
    assert (item.finding.task, item.finding.explanation) == ({"level": 2}, "it died")


def test_a_finding_about_no_flight_has_no_proof() -> None:
    seen = ContractWitness(tools=("reset",))
    item = failed("tool_names", "reserved_tool_name", "reset is reserved", None, seen)
    assert item.proof is None and item.finding is not None
    assert (item.finding.task, item.finding.witness) == (None, seen)
    bare = failed("tool_names", "reserved_tool_name", "so").finding
    assert bare is not None and bare.witness == ContractWitness()


def test_there_is_no_other_check() -> None:
    with pytest.raises(ValueError, match=r"must be one of episode, .*, not 'beauty'"):
        passed("beauty", "it is")


def test_the_worst_of_each_check_in_the_checks_order() -> None:
    items = [
        contract_item("after_done", "na", "first"),
        contract_item("episode", "pass", "one"),
        contract_item("episode", "fail", "two"),
        contract_item("episode", "fail", "three"),
        contract_item("after_done", "pass", "second"),
        contract_item("after_done", "na", "third"),
    ]
    assert [(item.id, item.said) for item in worst(items)] == [
        ("episode", "two"),
        ("after_done", "second"),
    ]
    assert all(CHECKS.values())


@pytest.fixture
def run(tmp_path: Path) -> config.RunConfig:
    return config.load(None, {"target": "a:B", "out": str(tmp_path), "seed": 4})


def flight(
    *, done_at: int = 9, failure: Failure | None = None, lost_on: Action | None = None
) -> Trace:
    """A reset, a step and a refused one."""
    answers = [
        Transition({"x": 0}, None, done_at == 0),
        Transition({"x": 1}, 0.5, done_at == 1),
        Transition({"x": 1}, 0.5, False, refusal="no"),
    ]
    actions = (None, GO, STOP)
    shots = [Shot(a, answer, None, None) for a, answer in zip(actions, answers, strict=True)]
    return Trace({"seed": 1}, shots, failure=failure, lost_on=lost_on)


def differing(trace: Trace) -> Proof:
    return Proof(trace, 1, ContractWitness(difference=FirstDifference(step=1)))


@pytest.mark.parametrize(
    ("proof", "expected"),
    [
        (flight().witness(), "same"),
        (flight().witness(1), "same"),
        (flight(failure=Failure("it died")).witness(), "lost"),
        (flight(failure=Failure("it died")).witness(1), "same"),  # it broke before it was lost
        (flight(done_at=0).witness(0), "lost"),
        (flight().witness(0), "same"),
        (differing(flight()), "other"),
    ],
)
def test_a_replay_shows_the_same_a_loss_or_another_episode(proof: Proof, expected: str) -> None:
    assert shows(proof) == expected and expected in SHOWS


def test_an_episode_holds_the_turns_that_matter(run: config.RunConfig) -> None:
    whole = episode(run, "nan_reward", 2, flight().witness(), "same")
    assert (whole.index, whole.policy, whole.seed, whole.target) == (2, "nan_reward", 4, "a:B")
    assert [(t.action, t.reward, t.invalid) for t in whole.turns] == [
        (GO, 0.5, None),
        (STOP, None, "no"),
    ]
    assert [turn.observation["x"] for turn in whole.turns] == [0, 1]
    short = episode(run, "nan_reward", 0, flight().witness(1), "same")
    assert [turn.action for turn in short.turns] == [GO]
    assert short.final_observation == {"x": 1} and short.error is None
    chance = episode(run, "nondeterministic", 0, differing(flight()), "other")
    assert len(chance.turns) == 2, "where chance has to show, all is flown"


def test_a_lost_episode_ends_with_what_lost_it(run: config.RunConfig) -> None:
    trace = flight(failure=Failure("it died"), lost_on={"go": 9})
    lost = episode(run, "dies", 0, trace.witness(), "lost")
    assert lost.error == "it died" and lost.turns[-1].action == {"go": 9}
    over = episode(run, "done_at_reset", 0, flight(done_at=0).witness(0), "lost")
    assert over.error == OVER and over.turns == []


def test_each_finding_is_once_a_task_and_says_where_it_is_flown_again(
    run: config.RunConfig,
) -> None:
    one, two = Task({}, "default"), Task({"level": 2}, "manifest")
    items = [
        passed("episode", "flown", one),
        failed("reward_finite", "nan_reward", "first", one, flight().witness(1)),
        failed("reward_finite", "nan_reward", "again", one, flight().witness()),
        failed(
            "tool_names", "reserved_tool_name", "reset", None, ContractWitness(tools=("reset",))
        ),
        failed("episode", "dies", "gone", two, flight(failure=Failure("it died")).witness()),
    ]
    found, episodes = findings(run, items)
    assert [(f.id, f.explanation) for f in found] == [
        ("nan_reward", "first"),
        ("reserved_tool_name", "reset"),
        ("dies", "gone"),
    ]
    assert [(e.index, e.policy) for e in episodes] == [(0, "nan_reward"), (1, "dies")]
    said = [f.witness.replay for f in found if isinstance(f.witness, ContractWitness)]
    assert said == [
        f"gonogo replay {WITNESSES}: episode 0: it comes out the same",
        None,
        f"gonogo replay {WITNESSES}: episode 1: it is lost again",
    ]
