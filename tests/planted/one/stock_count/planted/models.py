"""Data models for the stock count environment."""

from typing import Any, Dict, List, Literal, Optional

from pydantic import Field

from openenv.core.env_server import Action, Observation, State


class StockAction(Action):
    """Count a bin, report a discrepancy, or hand in the count."""

    command: Literal["count", "report", "hand_in"] = Field(..., description="Command")
    bin: str = Field(default="", description="Bin for count/report")
    difference: Optional[int] = Field(
        default=None, description="Physical minus expected quantity, for report"
    )


class StockObservation(Observation):
    bins: List[Dict[str, Any]] = Field(default_factory=list)
    open_moves: List[Dict[str, Any]] = Field(default_factory=list)
    counted: Dict[str, int] = Field(default_factory=dict)
    response: str = ""
    steps_left: int = 0
    success: bool = False


class StockState(State):
    counted: Dict[str, int] = Field(default_factory=dict)
    confirmed: int = 0
    discrepancies: int = 0
    rejected: int = 0
