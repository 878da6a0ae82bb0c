"""What the label writer sees and hands in."""

from enum import Enum
from typing import Dict, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field


class Kind(str, Enum):
    DRAFT = "draft"
    HANG = "hang"


class Record(BaseModel):
    """The entry in the catalogue."""

    inventory: str
    object: str
    maker: str
    place: str
    year: int
    material: str
    use: str
    history: str


class VitrineAction(Action):
    kind: Kind = Field(..., description="draft: ask the editor; hang: hand in the label")
    text: str = Field(default="", description="The label")


class VitrineObservation(Observation):
    message: str = ""
    record: Optional[Record] = Field(default=None, description="The object to describe")
    labels_left: int = Field(default=0, description="Including this one")
    drafts_left: int = Field(default=0, description="Looks by the editor, this label")
    remarks: Dict[str, bool] = Field(
        default_factory=dict, description="The rubric applied to the last text"
    )


class VitrineState(State):
    label: int = 0
    points: float = 0.0
