"""Data models of the Waterworks environment."""

from typing import Any, Dict, List, Literal

from openenv.core.env_server import Action, Observation, State
from pydantic import Field


class WaterworksAction(Action):
    command: Literal["gauge", "report"] = Field(..., description="Clamp the flow meter on a pipe or report the leak")
    pipe: str = Field(..., description="Pipe, named by its downstream end, such as N07")


class WaterworksObservation(Observation):
    message: str = ""
    network: List[Dict[str, Any]] = Field(
        default_factory=list, description="Pipes: pipe (downstream end), fed_from (upstream end), demand at the end in l/min"
    )
    readings: Dict[str, float] = Field(default_factory=dict, description="Flow into the pipe in l/min, so far")
    gauges_left: int = 0
    success: bool = False


class WaterworksState(State):
    leak: str = ""
    leak_rate: float = 0.0
    gauges_used: int = 0
    reported: str = ""
