"""What passes over the wire of the rogue. Its action has a validator that raises ValueError."""

from typing import Any

from openenv.core.env_server.types import Action, Observation
from pydantic import field_validator


class RogueAction(Action):
    """Anything but the forbidden word."""

    word: str

    @field_validator("word")
    @classmethod
    def not_forbidden(cls, word: str) -> str:
        """OpenEnv's server cannot serialise this error and drops the socket."""
        if word == "forbidden":
            raise ValueError("the forbidden word")
        return word


class RogueObservation(Observation):
    """Says what was said, and whatever else the trick needs."""

    said: str = ""
    extra: Any = None
