from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import fields
from typing import Any, get_args

import pytest
from openenv.core.env_server.types import Observation
from pydantic import ValidationError

from flightrules.flight.command import BURNS, MODES
from flightrules.flight.telemetry import Telemetry
from flightrules.missions.splits import LEVELS
from flightrules.models import (
    Burn,
    FlightAction,
    FlightObservation,
    FlightState,
    Level,
    ModeName,
)


def test_the_literals_are_the_simulators_words() -> None:
    assert set(get_args(Burn)) == set(BURNS)
    assert set(get_args(ModeName)) == set(MODES)
    assert get_args(Level) == LEVELS


def test_the_observation_has_the_fields_of_telemetry() -> None:
    own = set(FlightObservation.model_fields) - set(Observation.model_fields)
    assert own == {field.name for field in fields(Telemetry)}


def test_the_schema_shows_enums_and_bounds() -> None:
    schema = FlightAction.model_json_schema()
    shown = schema["properties"]
    assert set(shown["burn"]["enum"]) == set(BURNS)
    assert set(shown["mode"]["enum"]) == set(MODES)
    assert (shown["coast_s"]["type"], shown["coast_s"]["minimum"], shown["coast_s"]["maximum"]) == (
        "integer",
        10,
        600,
    )
    assert shown["note"]["maxLength"] == 200
    assert schema["additionalProperties"] is False
    assert {"required": ["reply"]} in schema["oneOf"]


@pytest.mark.parametrize(
    "action",
    [
        {"burn": "warp"},
        {"mode": "HOLD"},
        {"coast_s": 9},
        {"coast_s": 601},
        {"coast_s": True},
        {"coast_s": "60"},
        {"coast_s": 60.0},
        {"coast_s": float("nan")},
        {"coast_s": float("inf")},
        {"note": "x" * 201},
        {"note": 1},
        {"reply": 1},
        {"reply": {"burn": "idle"}},
        {"throttle": 1},
        {"metadata": []},
    ],
)
def test_the_action_refuses(action: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as caught:
        FlightAction.model_validate(action)
    # A cause that is an exception object cannot be sent: openenv would close the socket over it.
    assert all("error" not in problem.get("ctx", {}) for problem in caught.value.errors())


def test_the_state_identifies_no_mission() -> None:
    assert set(FlightState.model_fields) == {"episode_id", "step_count", "level", "split", "done"}


def test_no_schema_names_hidden_truth() -> None:
    for model in (FlightAction, FlightObservation, FlightState):
        names = set(model.model_json_schema()["properties"])
        assert not names & {"seed", "index", "truth", "bias", "inertia", "robustness", "success"}


def test_the_client_imports_without_the_simulator() -> None:
    code = (
        "import sys, json, flightrules, flightrules.client, flightrules.models;"
        "print(json.dumps([m for m in ('numba', 'flightrules.physics', 'flightrules.server',"
        " 'flightrules.flight.simulation', 'torch') if m in sys.modules]))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert json.loads(answer.stdout.splitlines()[-1]) == []
