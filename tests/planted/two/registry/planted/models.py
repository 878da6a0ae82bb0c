from typing import Dict, List, Literal

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class RegistryAction(Action):
    """Open a volume of the registry, or hand in the answer."""

    kind: Literal["open", "answer"]
    text: str = Field(description="Volume title for 'open', free text for 'answer'")


class RegistryObservation(Observation):
    question: str = ""
    volumes: List[str] = Field(default_factory=list)
    masters: List[str] = Field(default_factory=list, description="Index of persons: all masters in the registry")
    page: str = Field(default="", description="Contents of the volume just opened")
    correct: bool = False
    turns_left: int = 0


class RegistryState(State):
    opened: Dict[str, int] = Field(default_factory=dict)
    answered: bool = False
