"""Data models for the freight deal environment."""

from typing import Any, Dict, List, Literal, Optional

from pydantic import Field

from openenv.core.env_server import Action, Observation, State


class FreightAction(Action):
    """A move of the shipper at the table."""

    move: Literal["propose", "accept", "walk_away"] = Field(..., description="Move")
    rate: Optional[float] = Field(default=None, description="Cents per km, for propose")
    payment_days: Optional[int] = Field(default=None, description="Days to pay, for propose")


class FreightObservation(Observation):
    round: int = 0
    rounds_left: int = 0
    brief: Dict[str, Any] = Field(default_factory=dict)
    carrier_offer: Dict[str, float] = Field(default_factory=dict)
    carrier_says: str = ""
    contract: Optional[Dict[str, float]] = None


class FreightState(State):
    contract: Optional[Dict[str, float]] = None
    value: float = 0.0
