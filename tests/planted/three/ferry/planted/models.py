"""Action, observation and state of the ferry environment."""

from typing import Any, Dict, List, Literal, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class FerryAction(Action):
    command: Literal["load", "turn_away", "hold", "depart"] = Field(..., description="Order")
    lane: Optional[int] = Field(default=None, description="Lane 0 to 3, for load")


class FerryObservation(Observation):
    message: str = ""
    queue: List[Dict[str, Any]] = Field(
        default_factory=list, description="Waiting vehicles: plate, tonnes, cargo"
    )
    deck: List[List[Dict[str, Any]]] = Field(
        default_factory=list, description="Vehicles on board, lane by lane"
    )
    lane_limit: float = Field(default=0.0, description="Tonnes a lane may carry")
    steps_left: int = 0


class FerryState(State):
    on_board: int = 0
    turned_away: int = 0
    sailed: bool = False
