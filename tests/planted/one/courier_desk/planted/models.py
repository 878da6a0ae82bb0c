"""Data models for the courier desk environment."""

from typing import Any, Dict, List, Literal, Optional

from pydantic import Field

from openenv.core.env_server import Action, Observation, State


class CourierAction(Action):
    """Send an idle rider out with one or two parcels, or let five minutes pass."""

    command: Literal["dispatch", "wait"] = Field(..., description="Command")
    rider: Optional[str] = Field(default=None, description="Rider for dispatch")
    parcels: List[str] = Field(default_factory=list, description="One or two parcel ids, in order of delivery")


class CourierObservation(Observation):
    tick: int = 0
    last_tick: int = 0
    waiting: List[Dict[str, Any]] = Field(default_factory=list)
    riders: List[Dict[str, Any]] = Field(default_factory=list)
    delivered: int = 0
    on_time: int = 0
    message: str = ""


class CourierState(State):
    tick: int = 0
    delivered: int = 0
    on_time: int = 0
    punctuality: float = 0.0
