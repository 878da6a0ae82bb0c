"""Shift handover notes from bedside charts, as an OpenEnv environment."""

from .models import HandoverAction, HandoverObservation

__all__ = ["HandoverAction", "HandoverObservation"]
