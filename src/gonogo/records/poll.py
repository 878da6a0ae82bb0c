"""The record of a poll: the board with a row for each station."""

from __future__ import annotations

from typing import ClassVar

from gonogo.records.record import Part, VerdictName, VerdictRecord

__all__ = ["BoardRow", "PollReport"]


class BoardRow(Part):
    """A station on the board."""

    station: str
    """Its name."""
    asks: str
    """What it answers."""
    verdict: VerdictName | None
    """None where it has not been asked."""
    said: str
    """The evidence in a line, or what is missing."""
    next: str | None
    """The command that changes it; None where it is GO."""


class PollReport(VerdictRecord):
    """What a poll leaves: the worst verdict over all stations, and the board."""

    kind: ClassVar[str] = "poll"
    version: ClassVar[int] = 1
    station: ClassVar[str] = "poll"

    board: tuple[BoardRow, ...]
