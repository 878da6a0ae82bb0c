"""What the merchant does and sees."""

from enum import Enum
from typing import Dict, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field


class Kind(str, Enum):
    BUY = "buy"
    SELL = "sell"
    TRAVEL = "travel"
    REST = "rest"


class Quote(BaseModel):
    ask: float = Field(description="What the town's dealers want for a load")
    bid: float = Field(description="What they give for a load")


class SaltroadAction(Action):
    kind: Kind = Field(..., description="buy, sell, travel or rest")
    good: Optional[str] = Field(default=None, description="Which good, for buy and sell")
    loads: int = Field(default=0, description="How many loads, for buy and sell")
    town: Optional[str] = Field(default=None, description="Where to, for travel")


class SaltroadObservation(Observation):
    message: str = ""
    day: int = 0
    days_left: int = 0
    town: str = ""
    purse: float = Field(default=0.0, description="Silver in the purse")
    pack: Dict[str, int] = Field(default_factory=dict, description="Loads on the mules")
    room: int = Field(default=0, description="Loads that the mules can still take")
    worth: float = Field(default=0.0, description="Purse, and pack at this town's bids")
    boards: Dict[str, Dict[str, Quote]] = Field(
        default_factory=dict, description="Today's prices in each town"
    )


class SaltroadState(State):
    day: int = 0
    town: str = ""
    purse: float = 0.0
    worth: float = 0.0
