"""Data models for the specimen environment."""

from typing import Dict, List, Literal

from openenv.core.env_server import Action, Observation, State
from pydantic import Field


class SpecimenAction(Action):
    """Look closer at the printed specimen, or name its typeface."""

    op: Literal["inspect", "name"] = Field(default="inspect")
    value: str = Field(
        default="", description="A feature (for inspect) or a typeface (for name)"
    )


class SpecimenObservation(Observation):
    """The specimen book and what is known of the sheet."""

    book: List[Dict[str, str]] = Field(
        default_factory=list, description="Typefaces with their features"
    )
    features: List[str] = Field(default_factory=list, description="What can be inspected")
    found: Dict[str, str] = Field(
        default_factory=dict, description="Features of the sheet seen so far"
    )
    steps_left: int = 0
    message: str = ""


class SpecimenState(State):
    """Public state of the identification."""

    inspections: int = 0
    wrong_names: int = 0
