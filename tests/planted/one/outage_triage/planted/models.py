"""Data models for the outage triage environment."""

from typing import Any, Dict, List, Literal, Optional

from pydantic import Field

from openenv.core.env_server import Action, Observation, State


class TriageAction(Action):
    """Call one of the tools, or close the incident with a diagnosis."""

    tool: Literal["metrics", "logs", "dependencies", "diagnose"] = Field(..., description="Tool")
    service: str = Field(default="", description="Service to look at or to blame")
    cause: Optional[str] = Field(default=None, description="Cause, for diagnose")


class TriageObservation(Observation):
    alert: str = ""
    services: List[str] = Field(default_factory=list)
    causes: List[str] = Field(default_factory=list)
    result: Dict[str, Any] = Field(default_factory=dict)
    minutes_left: int = 0
    resolved: bool = False


class TriageState(State):
    diagnosed: Optional[str] = None
    resolved: bool = False
