"""Data models for the regatta environment."""

from typing import Dict, List, Literal, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class RegattaAction(Action):
    """Watch a training run of one crew, or hand in the forecast."""

    kind: Literal["watch", "forecast"] = Field(..., description="What to do")
    crew: Optional[str] = Field(default=None, description="Crew to watch")
    ratings: Dict[str, float] = Field(
        default_factory=dict, description="Forecast: a rating per crew, higher means expected to finish earlier"
    )


class RegattaObservation(Observation):
    """The forecaster's notebook."""

    text: str = Field(default="", description="Latest news")
    crews: List[str] = Field(default_factory=list, description="Crews on the start list")
    runs: Dict[str, List[Dict[str, float]]] = Field(
        default_factory=dict, description="Observed runs per crew: time in seconds and tailwind in m/s"
    )
    runs_left: int = Field(default=0, description="Training runs that can still be watched")


class RegattaState(State):
    """Public episode state."""

    runs_left: int = 0
    forecast_given: bool = False
