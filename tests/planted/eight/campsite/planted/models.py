"""What the clerk does and sees."""

from enum import Enum
from typing import Any, Dict, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field


class Tool(str, Enum):
    FIND_BOOKING = "find_booking"
    CHECK_PITCH = "check_pitch"
    MOVE_BOOKING = "move_booking"
    CANCEL_BOOKING = "cancel_booking"
    REFUND = "refund"
    LOG_REPAIR = "log_repair"
    CLOSE_TICKET = "close_ticket"


class Booking(BaseModel):
    booking: str
    guest: str
    pitch: int
    arrive: int = Field(description="Day of the season")
    nights: int
    price: int = Field(description="Euros per night, all paid in advance")
    cancelled: bool = False
    refunded: int = 0


class Ticket(BaseModel):
    ticket: int
    guest: str
    message: str


class CampsiteAction(Action):
    tool: Tool
    arguments: Dict[str, Any] = Field(default_factory=dict)


class CampsiteObservation(Observation):
    message: str = ""
    today: int = 0
    ticket: Optional[Ticket] = Field(default=None, description="The one on the desk")
    result: Dict[str, Any] = Field(
        default_factory=dict, description="What the tool returned, or an `error`"
    )
    calls_left: int = Field(default=0, description="Tool calls left on this ticket")
    tickets_left: int = 0
    resolved: int = Field(default=0, description="Tickets resolved so far")


class CampsiteState(State):
    tickets_done: int = 0
    resolved: int = 0
