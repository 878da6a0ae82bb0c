"""Data models for the harbour tugs environment."""

from typing import Any, Dict, List, Literal, Optional

from pydantic import Field

from openenv.core.env_server import Action, Observation, State


class TugAction(Action):
    """Bring a ship in, let the hour end, or send the crews home."""

    order: Literal["berth", "next_hour", "stand_down"] = Field(..., description="Order")
    ship: Optional[str] = Field(default=None, description="Ship for berth")


class TugObservation(Observation):
    hour: int = 0
    anchorage: List[Dict[str, Any]] = Field(default_factory=list)
    expected: List[Dict[str, Any]] = Field(default_factory=list)
    tugs_total: int = 0
    tugs_free: int = 0
    berths_total: int = 0
    berths_free: int = 0
    demurrage: int = 0
    report: str = ""


class TugState(State):
    hour: int = 0
    demurrage: int = 0
    berthed: List[str] = Field(default_factory=list)
