"""What the technician can do and see."""

from enum import Enum
from typing import Dict, List, Optional

from openenv.core.env_server.types import Action, Observation
from pydantic import Field


class Kind(str, Enum):
    WEIGH = "weigh"
    ADJUST = "adjust"
    CERTIFY = "certify"
    WITHDRAW = "withdraw"


class BalancesAction(Action):
    kind: Kind
    balance: str = Field(..., max_length=20, description="Tag of the balance, e.g. 'BAL-3'")
    load: Optional[int] = Field(default=None, description="weigh: 50, 100 or 200 (g)")
    zero_mg: float = Field(default=0.0, description="adjust: subtracted from the reading")
    span: float = Field(default=1.0, description="adjust: the reading is multiplied by it")
    readings: List[float] = Field(
        default_factory=list,
        max_length=3,
        description="certify: as-left readings in g at 50, 100 and 200 g",
    )


class BalancesObservation(Observation):
    message: str = ""
    reading: Optional[float] = Field(default=None, description="g, after a weighing")
    bench: Dict[str, str] = Field(
        default_factory=dict, description="Tag -> waiting, certified, refused or withdrawn"
    )
    loads: List[int] = Field(default_factory=list, description="Reference masses, g")
    tolerance_mg: float = 0.0
    steps_left: int = 0
    success: Optional[bool] = Field(default=None, description="Set when the job ends")
