"""Figures that several records hold."""

from __future__ import annotations

from gonogo.records.record import Part

__all__ = ["ExploitDistance"]


class ExploitDistance(Part):
    """An exploit, and how far a policy's episodes are from it."""

    exploit: str
    """Name of the habit or the finding."""
    distance: float
    """Mean over all turns, from 0 to 1."""
