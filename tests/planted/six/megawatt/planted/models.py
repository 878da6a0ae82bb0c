"""Models of the megawatt environment."""

from typing import List, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field


class DaySheet(BaseModel):
    """What is known of a day: the calendar, the weather, the foundry's bookings."""

    weekday: str
    temperature: List[float] = Field(description="Degrees C, one per two-hour block")
    foundry_mw: List[float] = Field(description="Booked by the foundry, per block")


class LoadForecast(Action):
    load_mw: List[float] = Field(
        ..., description="Load of the coming day, 12 values, one per two-hour block"
    )


class LoadObservation(Observation):
    message: str = ""
    day: int = Field(default=0, description="Number of the day to forecast")
    coming: Optional[DaySheet] = Field(default=None, description="The day to forecast")
    last: Optional[DaySheet] = Field(default=None, description="The day before it")
    last_load_mw: List[float] = Field(
        default_factory=list, description="Metered load of the day before"
    )
    heating_mw_per_degree: float = 0.0
    last_error_percent: Optional[float] = Field(
        default=None, description="Mean absolute percentage error of the last forecast"
    )


class LoadState(State):
    day: int = 0
    errors_percent: List[float] = Field(default_factory=list)
