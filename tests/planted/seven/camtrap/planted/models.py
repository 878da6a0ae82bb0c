"""What the sorter says and sees."""

from enum import Enum
from typing import Dict, List, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field


class Label(str, Enum):
    EMPTY = "empty"
    ROE_DEER = "roe_deer"
    WILD_BOAR = "wild_boar"
    FOX = "fox"
    BADGER = "badger"


class Frame(BaseModel):
    number: int
    clock: str
    wind: float = Field(description="m/s at the mast")
    contrast: float = Field(description="Warmest patch above the background, in kelvin")
    height: int = Field(description="Height of the moving patch, in cm at its distance")
    length: int = Field(description="Length of the moving patch, in cm at its distance")
    drift: float = Field(description="Displacement over the burst of three shots, in m")
    snout_low: bool = Field(description="The front end of the patch is near the ground")


class CamtrapAction(Action):
    label: Label = Field(..., description="What triggered the camera")


class CamtrapObservation(Observation):
    message: str = ""
    site: str = ""
    frame: Optional[Frame] = Field(default=None, description="The frame to be sorted")
    frames_left: int = Field(default=0, description="Frames after this one")
    sorted_so_far: Dict[str, int] = Field(
        default_factory=dict, description="How often each label was given"
    )


class CamtrapState(State):
    site: str = ""
    labels: List[Label] = Field(default_factory=list)
