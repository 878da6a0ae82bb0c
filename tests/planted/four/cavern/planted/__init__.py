"""Cavern: cave survey trips."""

from .models import CavernAction, CavernObservation

__all__ = ["CavernAction", "CavernObservation"]
