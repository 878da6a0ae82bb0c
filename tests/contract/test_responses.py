"""Answers are judged by the raw facts where there are any, and by the wire where there are none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from gonogo import config
from gonogo.contract.check_env import check_env
from gonogo.contract.findings import Item
from gonogo.contract.responses import check_answers, check_episode
from gonogo.contract.tasks import Task
from gonogo.contract.trajectories import Shot, Trace
from gonogo.env.environment import Env
from gonogo.records.inspection import RawAnswer
from gonogo.rollouts.types import Failure, Schemas, Transition
from gonogo.wire import JsonSchema

TASK = Task({}, "default")
OBSERVED = {"properties": {"x": {"type": "integer"}}, "required": ["x"]}
SCHEMAS = Schemas({}, OBSERVED, {"properties": {"step_count": {"type": "integer"}}})


def trace(*rewards: Any, raw: RawAnswer | None = None, done: bool = False, **state: Any) -> Trace:
    """A flight that paid these rewards."""
    shots = [Shot(None, Transition({"x": 1}, None, False), {"step_count": 0, **state}, None)]
    for step, reward in enumerate(rewards, start=1):
        answer = Transition({"x": 1}, reward, done and step == len(rewards))
        shots.append(Shot({"a": step}, answer, {"step_count": step, **state}, raw))
    return Trace({}, shots)


def refused(trace: Trace, *messages: str) -> Trace:
    """The flight with refused actions at its end."""
    last = trace.shots[-1]
    for number, message in enumerate(messages):
        answer = Transition({"x": 1}, None, False, refusal=message)
        trace.shots.append(Shot({"b": number}, answer, last.state, None))
    return trace


def judged(
    *traces: Trace,
    declared: Any = (0.0, 1.0),
    schemas: Schemas = SCHEMAS,
    costs: Mapping[str, int] = MappingProxyType({}),
) -> dict[str, Item]:
    items = check_answers(TASK, traces, schemas, None, declared, costs)
    return {item.checked.id: item for item in items}


def finding(item: Item) -> str | None:
    return None if item.finding is None else item.finding.id


def test_sound_answers_pass() -> None:
    assert {item.checked.verdict for item in judged(trace(0.0, 1, 0.5)).values()} == {"pass"}


@pytest.mark.parametrize(
    ("reward", "check", "id"),
    [
        (1.5, "reward_range", "reward_out_of_range"),
        (-0.1, "reward_range", "reward_out_of_range"),
        (True, "reward_numeric", "bool_reward"),
        ("1", "reward_numeric", "reward_not_numeric"),
    ],
)
def test_bad_rewards_on_the_wire(reward: Any, check: str, id: str) -> None:
    item = judged(trace(0.5, reward))[check]
    assert finding(item) == id
    assert item.finding is not None
    assert item.finding.witness.actions == ({"a": 1}, {"a": 2})


def test_null_over_a_url_is_not_called_finite() -> None:
    assert judged(trace(0.5, None))["reward_finite"].checked.verdict == "na"
    numeric = judged(trace(0.5, None))["reward_numeric"].checked
    assert numeric.verdict == "pass"
    assert numeric.said == "1 rewards, each a number; 1 of 2 steps gave None, which is counted as 0"


def test_an_episode_that_pays_nothing_at_all_is_a_finding_once_it_ended() -> None:
    assert judged(trace(None, None))["reward_numeric"].checked.verdict == "na"
    assert finding(judged(trace(None, None, done=True))["reward_numeric"]) == "missing_reward"


def test_without_a_declared_range_nothing_is_out_of_it() -> None:
    assert judged(trace(99.0), declared=None)["reward_range"].checked.verdict == "na"


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"x": {"type": "string"}}},
        {"type": "no such type"},
        {"$ref": "http://127.0.0.1:9/schema.json"},
        {"$ref": "#/$defs/nothing"},
    ],
)
def test_a_schema_that_does_not_fit_or_is_none_is_a_finding_and_fetches_nothing(
    schema: JsonSchema,
) -> None:
    found = judged(trace(0.5), schemas=Schemas({}, schema, {}))
    assert finding(found["observation_schema"]) == "observation_schema"


def test_states_count_the_steps_and_name_the_episode() -> None:
    for wrong in (trace(0.5, step_count=7), trace(0.5, step_count=True), trace(0.5, step_count=0)):
        assert finding(judged(wrong)["state_contract"]) == "state_contract"
    other = trace(0.5, episode_id="b")
    other.options = {"episode_id": "a"}
    assert finding(judged(other)["state_contract"]) == "state_contract"
    assert judged(refused(trace(0.5), "no"))["state_contract"].checked.verdict == "pass"
    told = trace(0.5, step_count=0)
    told.shots[1].answer.observation["error"] = "no such move"
    assert judged(told)["state_contract"].checked.verdict == "pass"
    world = trace(0.5, step_count=0)
    for shot in world.shots:
        shot.answer.observation["recent_errors"] = ["disk full"]
    assert finding(judged(world)["state_contract"]) == "state_contract"


@pytest.mark.parametrize(("count", "found"), [(2, None), (3, "state_contract")])
def test_an_action_counts_as_many_steps_as_it_is_said_to_cost(
    count: int, found: str | None
) -> None:
    hinted = trace(0.5)
    hinted.shots[1] = replace(hinted.shots[1], action={"kind": "hint"}, state={"step_count": count})
    assert finding(judged(hinted)["state_contract"]) == "state_contract"
    assert finding(judged(hinted, costs={"hint": 2})["state_contract"]) == found
    other = trace(0.5, step_count=2)
    assert finding(judged(other, costs={"hint": 2})["state_contract"]) == "state_contract"


def test_an_environment_that_refuses_everything_from_some_step_on_is_broken() -> None:
    stuck = check_episode(TASK, [refused(trace(0.5, 0.5), *["out of order"] * 5)])
    assert finding(stuck) == "step_raises"
    assert (
        check_episode(TASK, [refused(trace(0.5, 0.5), *["illegal"] * 4)]).checked.verdict == "pass"
    )
    never = check_episode(TASK, [refused(trace(), *["illegal"] * 9)])
    assert never.checked.verdict == "na"
    assert "9 random actions of the schema were refused: illegal" in never.checked.said


def test_a_few_refusals_prove_nothing_where_many_actions_are_illegal_at_any_time() -> None:
    picky = refused(trace(0.5), *["illegal"] * 5)
    picky.shots.append(trace(0.5).shots[1])
    assert check_episode(TASK, [refused(picky, *["illegal"] * 7)]).checked.verdict == "pass"
    assert finding(check_episode(TASK, [refused(picky, *["broken"] * 40)])) == "step_raises"


@pytest.mark.parametrize(
    ("kind", "source", "expected"),
    [
        ("raised", "default", None),
        ("raised", "signature", "reset_raises"),
        ("unmade", "default", "no_instance"),
        ("timeout", "default", "hangs"),
        ("died", "default", "dies"),
        ("identity", "default", "silent_reset"),
    ],
)
def test_a_lost_episode_is_a_finding_unless_nobody_promised_it(
    kind: Any, source: str, expected: str | None
) -> None:
    lost = Trace({}, failure=Failure("gone", kind))
    assert finding(check_episode(Task({}, source), [lost])) == expected


def test_what_stands_beside_an_apps_observation_is_no_field_of_it() -> None:
    strict: JsonSchema = {**OBSERVED, "additionalProperties": False}
    of_an_app = Schemas({}, strict, {}, names_episodes=False)
    assert judged(trace(0.5), schemas=of_an_app)["observation_schema"].checked.verdict == "pass"
    strays = trace(0.5)
    strays.shots[-1].answer.observation["y"] = 1
    found = judged(strays, schemas=of_an_app)["observation_schema"]
    assert finding(found) == "observation_schema"
    holds_done: JsonSchema = {
        "properties": {**OBSERVED["properties"], "done": {"type": "boolean"}},
        "required": ["x", "done"],
        "additionalProperties": False,
    }
    of_another = Schemas({}, holds_done, {}, names_episodes=False)
    assert judged(trace(0.5), schemas=of_another)["observation_schema"].checked.verdict == "pass"


NLTK = """
**********************************************************************
  Resource 'punkt_tab' not found.
  Please use the NLTK Downloader to obtain the resource:

  >>> import nltk
**********************************************************************
"""
ROUTER = "reset raised: Router connection failed after 3 attempts. Domain name not found"


def test_a_download_that_is_missing_is_said_and_not_proven() -> None:
    flown = refused(trace(0.5, 0.5), *[NLTK] * 5)
    item = check_episode(TASK, [flown])
    assert item.checked.verdict == "na" and finding(item) == "step_raises"
    assert item.finding is not None and not item.finding.blocks
    assert "from step 3 on all 5 actions that were sent are refused: Resource 'punkt_tab'" in (
        item.finding.explanation
    )
    broken = check_episode(TASK, [refused(trace(0.5, 0.5), *["KeyError: 'punkt'"] * 5)])
    assert broken.checked.verdict == "fail" and broken.finding is not None
    assert broken.finding.blocks


@pytest.mark.parametrize("source", ["default", "manifest"])
def test_a_service_that_does_not_answer_is_said_and_no_option_asked_for(source: str) -> None:
    lost = Trace({}, [], Failure(ROUTER, "raised"))
    item = check_episode(Task({}, source), [lost])
    assert item.checked.verdict == "na" and item.checked.evidence.unbegun
    assert "--reset" not in item.checked.said and "a service" in item.checked.said
    assert item.finding is None or not item.finding.blocks
    # One that begins at times is flown.
    assert not check_episode(Task({}, source), [trace(0.5), lost]).checked.evidence.unbegun


@pytest.mark.parametrize(
    ("name", "found"), [("Undoing", {"state_contract"}), ("UndoingTold", set())]
)
def test_an_undo_that_takes_the_counter_back_breaks_the_state_unless_it_is_documented(
    name: str, found: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    given = {"target": f"tests.zoo.turns:{name}", "out": str(tmp_path), "map.steps": 12}
    report = check_env(config.load(None, given), Env.of(config.load(None, given)))
    ids = {finding.id for finding in report.findings}
    assert ids & {"state_contract", "silent_reset"} == found
