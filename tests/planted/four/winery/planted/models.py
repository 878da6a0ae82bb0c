"""Data types of the winery environment."""

from typing import Any, Dict, List, Literal

from openenv.core.env_server import Action, Observation, State
from pydantic import Field


class WineryAction(Action):
    """Send a blend to the laboratory, or decide which cask goes to the drain."""

    kind: Literal["assay", "condemn"]
    casks: List[str] = Field(
        default_factory=list, description="assay: one to eight casks to blend; condemn: exactly one cask"
    )


class WineryObservation(Observation):
    """What the cellar book shows."""

    cellar: List[str] = Field(default_factory=list, description="Casks of the lot")
    assays: List[Dict[str, Any]] = Field(
        default_factory=list, description="Laboratory results so far: casks blended, ng/l of TCA in the blend"
    )
    assays_left: int = Field(default=0)
    verdict: str = Field(default="open", description="open, saved, spoiled or expired")
    message: str = Field(default="")


class WineryState(State):
    """Cellar book of the current lot."""

    vintage: int = 0
    vineyard: str = ""
    lot: List[Dict[str, Any]] = Field(default_factory=list, description="Casks of the lot")
    assays_done: int = 0
    verdict: str = "open"
