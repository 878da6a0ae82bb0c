"""Borewell: village water drilling project."""

from .models import BorewellAction, BorewellObservation

__all__ = ["BorewellAction", "BorewellObservation"]
