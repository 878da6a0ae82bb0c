"""Data models of the makeweight environment."""

from typing import List

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class MakeweightAction(Action):
    """One way to balance the scale, written as a line."""

    line: str = Field(
        default="",
        max_length=120,
        description="Signed weights, for instance '40+12-3': 40 and 12 stand on the "
        "right pan, 3 stands on the left beside the object",
    )


class MakeweightObservation(Observation):
    """The scale, the box of weights and the notebook."""

    message: str = Field(default="")
    object_grams: int = Field(default=0, description="What the object weighs")
    weights: List[int] = Field(default_factory=list, description="Weights in the box")
    notebook: List[str] = Field(
        default_factory=list, description="The ways written down so far"
    )
    ways_wanted: int = Field(default=0)
    lines_left: int = Field(default=0)
    solved: bool = Field(default=False, description="The notebook is full")


class MakeweightState(State):
    """Progress of the puzzle."""

    ways_found: int = 0
    solved: bool = False
