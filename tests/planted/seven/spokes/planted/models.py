"""What the wheelbuilder turns and reads off."""

from typing import List

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class SpokesAction(Action):
    spoke: int = Field(..., description="Which spoke, counted from 0 at the valve")
    quarters: int = Field(
        ..., ge=-8, le=8, description="Quarter turns of the nipple, > 0 tightens; 0 takes the wheel out"
    )


class SpokesObservation(Observation):
    note: str = ""
    runout: List[float] = Field(
        default_factory=list, description="Sideways runout at each spoke in mm, > 0 is right"
    )
    tension: List[int] = Field(
        default_factory=list, description="Quarter turns above or below the tension at the start"
    )
    turns_left: int = Field(default=0, description="Turns of the key that remain")
    total: float = Field(default=0.0, description="Sum of the runout without regard to side")


class SpokesState(State):
    turns: int = 0
