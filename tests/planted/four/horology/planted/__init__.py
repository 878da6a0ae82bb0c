"""Horology: watch movement assembly."""

from .models import HorologyAction, HorologyObservation

__all__ = ["HorologyAction", "HorologyObservation"]
