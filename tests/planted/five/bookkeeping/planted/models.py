"""Data models of the bookkeeping environment."""

from typing import List, Literal, Optional

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class BookkeepingAction(Action):
    """Read a page or file the reconciliation report."""

    kind: Literal["read", "file"] = Field(..., description="What to do")
    page: Optional[str] = Field(
        default=None, description="ledger-1, ledger-2, statement-1 or statement-2"
    )
    report: Optional[str] = Field(
        default=None, max_length=6000, description="Markdown report, for kind=file"
    )


class BookkeepingObservation(Observation):
    """The desk of the bookkeeper."""

    message: str = Field(default="")
    pages: List[str] = Field(default_factory=list, description="Pages that can be read")
    content: List[str] = Field(
        default_factory=list, description="Lines of the page that was read"
    )
    opening_balance: str = Field(default="")
    grade: Optional[str] = Field(default=None, description="A to F, once filed")
    steps_left: int = Field(default=0)


class BookkeepingState(State):
    """Progress of the reconciliation."""

    pages_read: int = 0
    filed: bool = False
