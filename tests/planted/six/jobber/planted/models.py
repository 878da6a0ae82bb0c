"""Orders, tickets and the trading screen."""

from typing import Dict, List, Literal, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field


class Order(BaseModel):
    kind: Literal["buy", "sell", "close"] = Field(
        ..., description="Open a long ticket, open a short ticket, or close a ticket"
    )
    commodity: Optional[str] = Field(default=None, description="For buy and sell")
    ticket: Optional[int] = Field(default=None, description="For close")


class Ticket(BaseModel):
    ticket: int
    commodity: str
    side: Literal["buy", "sell"]
    opened_at: float = Field(description="Price at which it was opened")
    profit_percent: float = Field(description="Profit if closed today, after the fee")


class JobberAction(Action):
    orders: List[Order] = Field(
        default_factory=list,
        max_length=32,
        description="Orders for today, carried out in this order; may be empty",
    )


class JobberObservation(Observation):
    day: int = 0
    days: int = 0
    prices: Dict[str, float] = Field(default_factory=dict)
    bulletins: List[str] = Field(default_factory=list, description="News of today")
    tickets: List[Ticket] = Field(default_factory=list, description="Open tickets")
    booked_percent: float = Field(default=0.0, description="Profit booked so far")
    notes: List[str] = Field(default_factory=list, description="Answers to the orders")


class JobberState(State):
    day: int = 0
    tickets_opened: int = 0
    booked_percent: float = 0.0
