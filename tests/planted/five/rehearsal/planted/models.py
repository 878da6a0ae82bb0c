"""Data models for the rehearsal environment."""

from typing import List, Literal, Optional

from openenv.core.env_server import Action, Observation, State
from pydantic import Field


class RehearsalAction(Action):
    """The company's next move at the table."""

    move: Literal["offer", "accept", "leave"] = Field(default="offer")
    price: float = Field(default=0.0, ge=0, description="Euros a night (for offer)")
    remark: str = Field(default="", max_length=400, description="What you say with it")


class RehearsalObservation(Observation):
    """How the talks stand."""

    budget: float = Field(default=0.0, description="Most the company can pay a night")
    asked: float = Field(default=0.0, description="What the owner asks a night now")
    your_offers: List[float] = Field(default_factory=list)
    rounds_left: int = 0
    owner_says: str = ""
    outcome: Literal["open", "signed", "no contract"] = "open"
    rent: Optional[float] = Field(default=None, description="Rent in the signed contract")


class RehearsalState(State):
    """Public state of the talks."""

    rounds_left: int = 0
    outcome: str = "open"
