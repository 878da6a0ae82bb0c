from __future__ import annotations

import pytest

from flightrules import FlightAction, FlightObservation, FlightRulesEnv, FlightState


def test_an_episode_through_the_client(base_url: str) -> None:
    with FlightRulesEnv(base_url=base_url).sync() as env:
        result = env.reset(seed=3, level="detumble", episode_id="mine")
        assert isinstance(result.observation, FlightObservation)
        assert (result.done, result.reward) == (False, 0.0)
        steps = 0
        while not result.done:
            result = env.step(FlightAction(burn="idle", mode="safe_hold", coast_s=600))
            steps += 1
        assert result.reward is not None and 0.0 <= result.reward <= 0.05
        assert result.observation.metadata["success"] is False
        state = env.state()
        assert isinstance(state, FlightState)
        assert (state.episode_id, state.step_count, state.done) == ("mine", steps, True)


def test_a_raw_reply_and_its_fields_fly_the_same(base_url: str) -> None:
    fields = FlightAction(burn="yaw-small", mode="detumble", coast_s=30, note="first")
    reply = FlightAction(
        reply='{"burn": "yaw-small", "mode": "detumble", "coast_s": 30, "note": "first"}'
    )
    seen = []
    for action in (fields, reply):
        with FlightRulesEnv(base_url=base_url).sync() as env:
            env.reset(seed=5, level="retarget")
            seen.append(env.step(action).observation)
    assert seen[0] == seen[1]
    assert seen[0].note == "first"


def test_only_what_was_set_is_sent() -> None:
    client = FlightRulesEnv(base_url="http://localhost:1")
    action = FlightAction(burn="idle", mode="hold", coast_s=60)
    assert client._step_payload(action) == {"burn": "idle", "mode": "hold", "coast_s": 60}
    assert client._step_payload(FlightAction(reply="hello")) == {"reply": "hello"}


def test_a_refusal_reaches_the_caller_in_words(base_url: str) -> None:
    with FlightRulesEnv(base_url=base_url).sync() as env:
        with pytest.raises(RuntimeError, match="call reset first"):
            env.step(FlightAction(reply="{}"))
        with pytest.raises(RuntimeError, match="level must be one of"):
            env.reset(level="moon")
        assert not env.reset(seed=1).done
