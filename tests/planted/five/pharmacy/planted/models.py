"""Data models of the dispensary counter."""

from typing import Any, Dict, List, Literal, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

Verdict = Literal["dispense", "query", "hold"]


class PharmacyAction(Action):
    """Open a prescription, decide one, or close the counter."""

    kind: Literal["open", "decide", "close"] = Field(..., description="What to do")
    rx_id: Optional[str] = Field(default=None, description="Prescription, e.g. RX-03")
    verdict: Optional[Verdict] = Field(default=None, description="For kind=decide")


class PharmacyObservation(Observation):
    """What lies on the counter."""

    message: str = Field(default="", description="What happened last")
    tray: List[str] = Field(
        default_factory=list, description="Prescriptions still waiting for a verdict"
    )
    formulary: Dict[str, Dict[str, Any]] = Field(
        default_factory=dict,
        description="Medicine -> max_daily_mg and interacts_with",
    )
    prescription: Optional[Dict[str, Any]] = Field(
        default=None, description="The prescription that is open"
    )
    steps_left: int = Field(default=0)


class PharmacyState(State):
    """Counters of the running shift."""

    waiting: int = 0
    decided: int = 0
