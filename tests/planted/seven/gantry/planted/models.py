"""What the crane driver does and sees."""

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field


class Crane(BaseModel):
    trolley: float = Field(default=0.0, description="Position of the trolley on its rail, m")
    speed: float = Field(default=0.0, description="Speed of the trolley, m/s")
    sway: float = Field(default=0.0, description="Angle of the rope, rad; positive is ahead")
    sway_rate: float = Field(default=0.0, description="rad/s")


class GantryAction(Action):
    drive: float = Field(..., description="Acceleration of the trolley, -1 to 1 m/s²")


class GantryObservation(Observation):
    message: str = ""
    crane: Crane = Field(default_factory=Crane)
    rope: float = Field(default=0.0, description="Length of the rope, m")
    load: float = Field(default=0.0, description="Position of the load over ground, m")
    berth: float = Field(default=0.0, description="Where the load should be set down, m")
    seconds_left: float = 0.0
    landed: bool = False


class GantryState(State):
    landed: bool = False
    travelled: float = 0.0
