"""Lamplight environment."""

from .models import LamplightAction, LamplightObservation, LamplightState

__all__ = ["LamplightAction", "LamplightObservation", "LamplightState"]
