"""What the list planner does and sees."""

from enum import Enum
from typing import List, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field


class Kind(str, Enum):
    MOVE = "move"
    FINISH = "finish"


class Operation(BaseModel):
    id: int
    minutes: int
    urgency: int = Field(description="Weight of this patient's waiting, 1 to 4")
    septic: bool = Field(description="The room is cleaned thoroughly afterwards")


class TheatreAction(Action):
    kind: Kind = Field(..., description="move an operation, or finish planning")
    operation: Optional[int] = Field(default=None, description="Which operation")
    room: Optional[int] = Field(default=None, description="Into which room")
    place: Optional[int] = Field(
        default=None, description="At which place of that room's list, 0 is first"
    )


class TheatreObservation(Observation):
    message: str = ""
    operations: List[Operation] = Field(default_factory=list)
    rooms: List[List[int]] = Field(
        default_factory=list, description="Operations of each room, in order"
    )
    cost: float = Field(default=0.0, description="Cost of the plan as it stands")
    first_cost: float = Field(default=0.0, description="Cost of the plan as received")
    moves_left: int = 0


class TheatreState(State):
    cost: float = 0.0
    moves: int = 0
