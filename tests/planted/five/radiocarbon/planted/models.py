"""Data models of the dating laboratory."""

from typing import Dict, List, Literal, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class RadiocarbonAction(Action):
    """Measure a sample or report its date."""

    kind: Literal["measure", "report"] = Field(..., description="What to do")
    sample: str = Field(..., description="Sample code, e.g. S2")
    method: Optional[Literal["radiocarbon", "typology", "tree_rings"]] = Field(
        default=None, description="For kind=measure"
    )
    years_bp: Optional[float] = Field(
        default=None, description="For kind=report: age in years before present"
    )
    error: Optional[float] = Field(
        default=None, ge=0, description="For kind=report: plus or minus, in years"
    )


class RadiocarbonObservation(Observation):
    """The laboratory bench."""

    message: str = Field(default="")
    samples: Dict[str, str] = Field(
        default_factory=dict, description="Sample code -> material"
    )
    open_samples: List[str] = Field(
        default_factory=list, description="Samples without a reported date"
    )
    results: Dict[str, List[str]] = Field(
        default_factory=dict, description="Sample code -> 'method: years' so far"
    )
    credits: int = Field(default=0, description="Laboratory credits left")
    steps_left: int = Field(default=0)


class RadiocarbonState(State):
    """Progress of the campaign."""

    credits: int = 0
    reported: int = 0
