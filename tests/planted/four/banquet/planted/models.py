"""Data types of the banquet environment."""

from typing import Dict, List

from openenv.core.env_server import Action, Observation, State
from pydantic import Field


class BanquetAction(Action):
    """The dishes that the current guest must not be served."""

    withhold: List[str] = Field(default_factory=list, description="Names of dishes, as on the menu")


class BanquetObservation(Observation):
    """What the service desk shows for the guest who is next."""

    guest: str = Field(default="", description="Name of the guest to be cleared")
    allergies: List[str] = Field(default_factory=list, description="Allergens of this guest")
    menu: Dict[str, List[str]] = Field(default_factory=dict, description="Dish -> ingredients")
    pantry: Dict[str, List[str]] = Field(
        default_factory=dict,
        description="Ingredient -> what it is made of: allergens, or further pantry ingredients",
    )
    guests_left: int = Field(default=0, description="Guests still to be cleared, this one included")
    message: str = Field(default="")
    success: bool = Field(default=False, description="Whole table cleared correctly (end of episode)")


class BanquetState(State):
    """Progress of the service."""

    guests_total: int = 0
    guests_cleared: int = 0
    score: float = 0.0
