"""Data models for the forum moderation queue."""

from typing import Dict, List, Literal

from openenv.core.env_server import Action, Observation, State
from pydantic import Field


class ModerationAction(Action):
    """Decision on the post that is shown."""

    decision: Literal["approve", "remove", "escalate"] = Field(..., description="What happens to the post")


class QueueObservation(Observation):
    """The house rules and the next post of the queue."""

    rules: List[str] = Field(default_factory=list, description="House rules of this forum")
    post: Dict[str, str] = Field(default_factory=dict, description="Author and text; empty at the end")
    position: int = Field(default=0, description="Place of the post in the queue, from 1")
    queue_length: int = Field(default=0)


class QueueState(State):
    """Public state of an episode."""

    decided: int = 0
