"""The client: one WebSocket, one episode at a time.

Imports neither the simulator nor numpy. It sends only what the caller set and builds the observation
from what the server sent; it repairs nothing, so a server that breaks its schema is noticed here.
"""

from __future__ import annotations

from typing import Any

from openenv.core import EnvClient
from openenv.core.client_types import StepResult

from flightrules.models import FlightAction, FlightObservation, FlightState


class FlightRulesEnv(EnvClient[FlightAction, FlightObservation, FlightState]):
    """Flies missions on a flightrules server.

    Example::

        with FlightRulesEnv(base_url="http://localhost:8000").sync() as env:
            result = env.reset(split="validation", index=0)
            while not result.done:
                result = env.step(FlightAction(burn="idle", mode="hold", coast_s=60))
            print(result.reward, result.observation.metadata["success"])

    `reset` takes `split` and `index`, or `seed`, and with either `level` and the level's knobs. After a
    dropped connection openenv's client reconnects to a fresh, un-reset session: the server answers a
    step there with an error.
    """

    def _step_payload(self, action: FlightAction) -> dict[str, Any]:
        return action.model_dump(exclude_none=True, exclude_defaults=True)

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[FlightObservation]:
        reward, done = payload["reward"], payload["done"]
        observation = FlightObservation.model_validate(
            {**payload["observation"], "reward": reward, "done": done}
        )
        return StepResult(
            observation=observation, reward=reward, done=done, metadata=observation.metadata
        )

    def _parse_state(self, payload: dict[str, Any]) -> FlightState:
        return FlightState.model_validate(payload)
