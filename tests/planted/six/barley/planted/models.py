"""Data models of the barley trial."""

from typing import List, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field


class BarleyAction(Action):
    """Harvest one block, or hand in the merit values of the varieties (not both)."""

    harvest: Optional[int] = Field(default=None, description="Number of a block")
    merits: Optional[List[float]] = Field(
        default=None,
        max_length=40,
        description="One number per variety, in the order of `varieties`; more is better",
    )


class Plot(BaseModel):
    """A harvested plot."""

    block: int
    variety: str
    weight_kg: float = Field(..., description="Grain as it came off the combine")
    moisture_pct: float
    area_m2: float


class BarleyObservation(Observation):
    """What the trial manager sees."""

    note: str = ""
    varieties: List[str] = Field(default_factory=list)
    blocks: List[int] = Field(default_factory=list, description="Blocks still standing")
    plots: List[Plot] = Field(default_factory=list, description="The block just harvested")
    days_left: int = 0


class BarleyState(State):
    blocks_harvested: int = 0
