"""Action, observation and state of the gateway environment."""

from typing import Any, Dict, List, Literal, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class GatewayAction(Action):
    command: Literal["docs", "call", "finish"] = Field(..., description="What to do")
    endpoint: Optional[str] = Field(default=None, description="Method and path as listed")
    params: Dict[str, Any] = Field(default_factory=dict, description="Parameters of the call")


class GatewayObservation(Observation):
    endpoints: List[str] = Field(default_factory=list, description="Endpoints of the service")
    status: Optional[int] = Field(default=None, description="HTTP status of the last call")
    body: Dict[str, Any] = Field(default_factory=dict, description="Body of the last answer")
    last_endpoint: Optional[str] = None
    steps_left: int = 0


class GatewayState(State):
    calls: int = 0
    coverage: float = 0.0
