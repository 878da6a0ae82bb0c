"""Data models for the stowage planner environment."""

from typing import Any, Dict, List, Literal, Optional

from pydantic import Field

from openenv.core.env_server import Action, Observation, State


class StowageAction(Action):
    """One planner command. `assign` puts a container on top of the stack in a bay."""

    command: Literal["assign", "remove", "bay_report", "finalize"] = Field(
        ..., description="What to do"
    )
    container_id: Optional[str] = Field(default=None, description="Container for assign/remove")
    bay: Optional[int] = Field(default=None, description="Bay number for assign/bay_report")


class StowageObservation(Observation):
    message: str = ""
    bays: List[Dict[str, Any]] = Field(default_factory=list)
    manifest: List[Dict[str, Any]] = Field(default_factory=list)
    plan: Dict[str, int] = Field(default_factory=dict)
    review_notes: List[str] = Field(default_factory=list)
    steps_left: int = 0


class StowageState(State):
    plan: Dict[str, int] = Field(default_factory=dict)
    finalized: bool = False
