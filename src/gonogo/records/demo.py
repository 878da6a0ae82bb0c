"""The record of a pipeline: which stations of a run are done, and what their outcomes depend on."""

from __future__ import annotations

from typing import ClassVar

from gonogo.records.base import Verdict
from gonogo.records.record import Machine, Part, Record

__all__ = ["DemoReport", "StationDone"]


class StationDone(Part):
    """A station that was begun, or is done."""

    fingerprint: str
    """Of everything that its outcome depends on."""
    verdict: Verdict | None = None
    """Absent until it is done."""
    seconds: float | None = None
    """How long it took; absent until it is done."""


class DemoReport(Record):
    """What a pipeline leaves."""

    kind: ClassVar[str] = "demo"
    version: ClassVar[int] = 1
    station: ClassVar[str] = "demo"

    stations: dict[str, StationDone]
    """By their names."""
    created: str
    python: str
    packages: dict[str, str]
    machine: Machine
