"""Data models of the Lamplight environment."""

from typing import Any, Dict, List, Literal

from openenv.core.env_server import Action, Observation, State
from pydantic import Field


class LamplightAction(Action):
    command: Literal["inspect", "remove", "fit"] = Field(..., description="What to do at the lamp post")
    lamp: str = Field(..., description="Lamp post, such as L12")
    part: str = Field(default="", description="Part to fit (only for fit)")


class LamplightObservation(Observation):
    message: str = ""
    work_orders: List[str] = Field(default_factory=list, description="Lamp posts reported dark")
    service_sheet: Dict[str, str] = Field(default_factory=dict, description="Symptom and the part that cures it")
    log: Dict[str, Any] = Field(default_factory=dict, description="Per lamp: symptom once inspected, and what sits in the socket")
    repairs: int = 0
    steps_left: int = 0


class LamplightState(State):
    work_orders: List[str] = Field(default_factory=list)
    needed: Dict[str, str] = Field(default_factory=dict, description="Part needed per lamp")
    repairs: int = 0
    closed: bool = False
