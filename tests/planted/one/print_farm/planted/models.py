"""Data models for the print farm environment."""

from typing import Any, Dict, List, Literal, Optional

from pydantic import Field

from openenv.core.env_server import Action, Observation, State


class PrintFarmAction(Action):
    """Start a job on a printer, take a job off the books, or let an hour pass."""

    command: Literal["start", "cancel", "wait"] = Field(..., description="Command")
    job_id: Optional[str] = Field(default=None, description="Job for start/cancel")
    printer: Optional[str] = Field(default=None, description="Printer for start")


class PrintFarmObservation(Observation):
    hour: int = 0
    jobs: List[Dict[str, Any]] = Field(default_factory=list)
    printers: List[Dict[str, Any]] = Field(default_factory=list)
    completed: int = 0
    event: str = ""


class PrintFarmState(State):
    hour: int = 0
    jobs_total: int = 0
    completed: List[str] = Field(default_factory=list)
    cancelled: List[str] = Field(default_factory=list)
