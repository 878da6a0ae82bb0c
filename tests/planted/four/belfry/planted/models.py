"""Data types of the belfry environment."""

from typing import Dict, List, Literal

from openenv.core.env_server import Action, Observation, State
from pydantic import Field


class BelfryAction(Action):
    """Open a record card, or answer the enquiry on the desk."""

    kind: Literal["open", "answer"]
    card: str = Field(default="", description="open: number of the card, as in `index`")
    text: str = Field(default="", description="answer: the answer in at most 40 words")


class BelfryObservation(Observation):
    """The desk of the bell archive."""

    enquiry: str = Field(default="", description="Enquiry to be answered")
    index: Dict[str, str] = Field(default_factory=dict, description="Card number -> what the card is about")
    card_text: str = Field(default="", description="Text of the card that was opened last")
    enquiries_left: int = Field(default=0)
    steps_left: int = Field(default=0)
    notes: List[str] = Field(default_factory=list, description="What happened so far")


class BelfryState(State):
    """Progress at the desk."""

    enquiries_total: int = 0
    enquiries_answered: int = 0
    cards_opened: int = 0
