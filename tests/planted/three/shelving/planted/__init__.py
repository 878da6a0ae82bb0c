"""Shelving environment."""

from .models import ShelvingAction, ShelvingObservation, ShelvingState

__all__ = ["ShelvingAction", "ShelvingObservation", "ShelvingState"]
