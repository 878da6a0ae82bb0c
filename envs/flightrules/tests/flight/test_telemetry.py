"""The text of the telemetry costs a pretrained model under 100 tokens a decision."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from flightrules.flight.flight import Flight
from flightrules.missions.store import MissionStore
from flightrules.validation.policies import TUNED_PD, PdPilot
from flightrules.validation.tokens import missing, token_counter


@pytest.mark.slow
@pytest.mark.skipif(bool(missing()), reason=f"{missing()} not installed; make test-all does")
@pytest.mark.parametrize("level", ["detumble", "retarget"])
def test_a_decision_is_told_in_under_100_of_smollm2s_tokens(level: str) -> None:
    """After the first observation, which carries the directives' words."""
    store, costs, count_tokens = MissionStore(), [], token_counter()
    for index in range(10):
        flight, pilot = Flight(store.task("train", index, level)), PdPilot(TUNED_PD)
        while not flight.done:
            telemetry = flight.telemetry()
            if flight.decisions:
                costs.append(count_tokens(telemetry.text))
            flight.execute(pilot.decide(asdict(telemetry)))
    assert 0 < max(costs) < 100
