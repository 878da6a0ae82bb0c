"""The environment in process: episodes, reward, metadata, the task API."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openenv.core.env_server.serialization import serialize_observation

from flightrules.errors import EpisodeError, MissionError, OptionError
from flightrules.flight.happenings import ANOMALIES
from flightrules.models import FlightAction, FlightObservation
from flightrules.server.environment import FlightRulesEnvironment

DRIFT = FlightAction(burn="idle", mode="safe_hold", coast_s=60)


def fly(env: FlightRulesEnvironment, action: FlightAction) -> list[FlightObservation]:
    seen = [env.step(action)]
    while not seen[-1].done:
        seen.append(env.step(action))
    return seen


@pytest.mark.parametrize("level", ["detumble", "retarget"])
def test_the_reward_is_paid_once_at_the_end(level: str) -> None:
    env = FlightRulesEnvironment()
    first = env.reset(seed=1, level=level)
    assert (first.reward, first.done, first.metadata["success"]) == (0.0, False, None)
    seen = fly(env, DRIFT)
    assert all(each.reward == 0.0 and each.metadata["success"] is None for each in seen[:-1])
    last = seen[-1]
    assert last.reward == pytest.approx(last.metadata["score_so_far"])
    assert 0.0 <= last.reward <= 0.05
    assert last.metadata["success"] is False
    assert env.rubric is not None and env.rubric.last_score == pytest.approx(last.reward)


def test_metadata_is_complete_and_bounded() -> None:
    env = FlightRulesEnvironment()
    env.reset(seed=2)
    for each in fly(env, FlightAction(burn="roll-small", mode="detumble", coast_s=30)):
        known = each.metadata
        assert set(known) == {
            "success", "score_so_far", "progress", "components", "timeout", "invalid",
        }  # fmt: skip
        assert set(known["components"]) == {"primary", "process", "format", "efficiency"}
        numbers = [known["score_so_far"], known["progress"], *known["components"].values()]
        assert all(type(value) is float and 0.0 <= value <= 1.0 for value in numbers)
        assert type(known["timeout"]) is bool


def test_what_is_sent_satisfies_the_schema() -> None:
    """Observations are built without validation, so what they hold is validated here."""
    env = FlightRulesEnvironment()
    for level in ("detumble", "retarget"):
        env.reset(seed=3, level=level)
        actions = (DRIFT, FlightAction(reply="no"), FlightAction())
        for each in [env.reset(seed=3, level=level), *(env.step(action) for action in actions)]:
            wire = json.loads(json.dumps(serialize_observation(each), allow_nan=False))
            again = FlightObservation.model_validate(
                {**wire["observation"], "reward": wire["reward"], "done": wire["done"]}
            )
            assert again == each


def test_no_observation_names_what_is_broken() -> None:
    """Of any of the four anomalies, before, during and after a recalibration."""
    env, seen = FlightRulesEnvironment(), set()
    recover = FlightAction(burn="idle", mode="recover", coast_s=120)
    for seed in range(12):
        told = [env.reset(seed=seed, level="precision_hold"), *fly(env, recover)]
        assert env._flight is not None
        seen |= {broken.kind for broken in env._flight.mission.anomalies}
        text = json.dumps([serialize_observation(each) for each in told]).lower()
        assert not re.search("anomal|bias|blind|weak|gauge|broke|fault", text)
    assert seen == set(ANOMALIES)


def test_running_out_of_decisions_is_a_timeout() -> None:
    env = FlightRulesEnvironment()
    env.reset(seed=1, level="retarget")
    last = fly(env, FlightAction(reply=""))[-1]
    assert last.decisions_left == 0
    assert last.metadata["timeout"] is True
    env.reset(seed=1, level="retarget")
    coast = FlightAction(burn="idle", mode="safe_hold", coast_s=600)
    assert fly(env, coast)[-1].metadata["timeout"] is False


def test_steps_out_of_order() -> None:
    env = FlightRulesEnvironment()
    with pytest.raises(EpisodeError, match="call reset first"):
        env.step(DRIFT)
    env.reset(seed=1)
    fly(env, FlightAction(burn="idle", mode="safe_hold", coast_s=600))
    count = env.state.step_count
    with pytest.raises(EpisodeError, match="has ended"):
        env.step(DRIFT)
    assert env.state.step_count == count


def test_a_refused_reset_leaves_the_episode() -> None:
    env = FlightRulesEnvironment()
    env.reset(seed=1, episode_id="kept")
    env.step(DRIFT)
    with pytest.raises(OptionError):
        env.reset(seed=-1)
    assert (env.state.episode_id, env.state.step_count) == ("kept", 1)
    assert env.step(DRIFT).clock_s == 120


def test_the_knobs_turn_the_mission() -> None:
    env = FlightRulesEnvironment()
    whole = env.reset(seed=1, level="mission_ops")
    short = env.reset(seed=1, level="mission_ops", directives=2, horizon_s=2400)
    assert (whole.decisions_left, short.decisions_left) == (64, 43)
    assert fly(env, DRIFT)[-1].clock_s == 2400
    task = {"split": "validation", "index": 4, "level": "mission_ops"}
    assert len(env.reset(**task, directives=1).directives) == 1
    assert env.reset().directives and env.reset(tightness=0.8).directives  # a drawn seed as well


def test_a_mission_that_cannot_be_had_leaves_the_episode() -> None:
    env = FlightRulesEnvironment()
    env.reset(seed=1, episode_id="kept")
    env.step(DRIFT)
    with pytest.raises(MissionError, match="horizon_s must be longer"):
        env.reset(seed=1, level="mission_ops", horizon_s=1000)
    assert (env.state.episode_id, env.state.step_count) == ("kept", 1)
    assert env.step(DRIFT).clock_s == 120


def test_without_a_seed_missions_differ() -> None:
    env = FlightRulesEnvironment()
    assert len({env.reset().rate_deg_s for _ in range(3)}) > 1


@pytest.mark.long
def test_a_seed_is_enough_in_another_process() -> None:
    code = (
        "import json; from flightrules.models import FlightAction;"
        "from flightrules.server.environment import FlightRulesEnvironment as E;"
        "env = E(); seen = [env.reset(seed=9, level='retarget', episode_id='x')];"
        "act = FlightAction(burn='pitch+small', mode='detumble', coast_s=45);"
        "seen += [env.step(act) for _ in range(5)];"
        "print(json.dumps([each.model_dump() for each in seen]))"
    )

    def run() -> Any:
        command = [sys.executable, "-c", code]
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
        return json.loads(answer.stdout)

    assert run() == run()


def test_the_task_api() -> None:
    env = FlightRulesEnvironment()
    assert {"train", "validation", "test"} <= set(env.list_splits())
    assert len(env.list_tasks("train")) <= 100 <= env.num_tasks("train")
    for index in (-1, env.num_tasks("train"), True, "0"):
        with pytest.raises(IndexError, match="index in split train"):
            env.get_task("train", index)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="split must be one of"):
        env.num_tasks("secret")
    tail = env.get_task_range("train", env.num_tasks("train") - 2, 10**9)
    assert len(tail) == 2


@given(st.text() | st.recursive(st.integers() | st.text(), st.lists).map(json.dumps))
def test_no_reply_breaks_an_episode(reply: str) -> None:
    env = FlightRulesEnvironment()
    before = env.reset(seed=1, level="detumble").decisions_left
    seen = env.step(FlightAction(reply=reply))
    assert seen.last_command.startswith("refused: ")
    assert seen.decisions_left == before - 1
    assert len(seen.last_command) < 200
