"""What passes over the wire of the gridworld."""

from typing import Literal

from openenv.core.env_server.types import Action, Observation
from pydantic import Field


class GridAction(Action):
    """One step."""

    move: Literal["stay", "north", "south", "east", "west"] = Field(description="Where to step.")
    stride: int = Field(default=1, ge=1, le=2, description="How many cells.")


class GridObservation(Observation):
    """Where the goal is, seen from the walker."""

    goal_east: int = Field(default=0, description="Cells to the goal, eastwards.")
    goal_north: int = Field(default=0, description="Cells to the goal, northwards.")
    steps_left: int = Field(default=0, description="Steps that remain.")
    last_reward: float = Field(default=0.0, description="Not for a model's eyes.")
