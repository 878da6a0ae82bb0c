"""Data models for the telegram environment."""

from typing import List, Literal

from openenv.core.env_server import Action, Observation, State
from pydantic import Field


class TelegramAction(Action):
    """Work on the telegram or hand in the plain text."""

    op: Literal["try_key", "hint", "submit"] = Field(default="try_key")
    a: int = Field(default=1, description="Multiplier (for try_key)")
    b: int = Field(default=0, description="Shift of the first word (for try_key)")
    d: int = Field(default=0, description="Drift from word to word (for try_key)")
    text: str = Field(default="", max_length=600, description="Plain text (for submit)")


class TelegramObservation(Observation):
    """The telegram on the desk."""

    ciphertext: str = ""
    code_book: List[str] = Field(
        default_factory=list, description="Words the office uses in its telegrams"
    )
    result: str = Field(default="", description="Outcome of the last action")
    hints_left: int = 0
    submissions_left: int = 0
    steps_left: int = 0
    solved: bool = False


class TelegramState(State):
    """Public state of the desk."""

    hints_used: int = 0
    submissions: int = 0
