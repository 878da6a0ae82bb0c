"""Birding: species identification in the field."""

from .models import BirdingAction, BirdingObservation

__all__ = ["BirdingAction", "BirdingObservation"]
