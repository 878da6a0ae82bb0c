"""Data models for the vivarium climate environment."""

from typing import Any, Dict, List, Optional

from pydantic import Field

from openenv.core.env_server import Action, Observation, State


class ClimateAction(Action):
    """Heater powers for the next half hour, one per terrarium."""

    heaters: List[float] = Field(default_factory=list, description="Power in percent, 0 to 100")
    note: Optional[str] = Field(default=None, description="Free text for the keeper's log")


class ClimateObservation(Observation):
    time: str = ""
    room: float = 0.0
    terrariums: List[Dict[str, Any]] = Field(default_factory=list)
    in_band: int = 0
    log: str = ""


class ClimateState(State):
    temperatures: List[float] = Field(default_factory=list)
    in_band_total: int = 0
