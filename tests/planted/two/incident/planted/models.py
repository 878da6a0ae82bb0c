from typing import Dict, List, Literal, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

FAULTS = ["bad_deploy", "memory_leak", "disk_full", "cert_expired", "config_drift"]


class IncidentAction(Action):
    """Call one of the read-only tools, or close the incident with a diagnosis."""

    tool: Literal["logs", "metrics", "deploys", "dependencies", "diagnose"]
    service: str = Field(description="Service the tool call or the diagnosis is about")
    fault: Optional[str] = Field(default=None, description="Only for 'diagnose'")


class IncidentObservation(Observation):
    alert: str = ""
    services: List[str] = Field(default_factory=list)
    faults: List[str] = Field(default_factory=lambda: list(FAULTS))
    output: str = Field(default="", description="Text returned by the last tool call")
    calls_left: int = 0


class IncidentState(State):
    tool_calls: Dict[str, int] = Field(default_factory=dict)
    closed: bool = False
