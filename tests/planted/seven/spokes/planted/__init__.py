"""Truing a bicycle wheel in the stand, as an OpenEnv environment."""

from .models import SpokesAction, SpokesObservation

__all__ = ["SpokesAction", "SpokesObservation"]
