"""Sorting the triggers of a wildlife camera trap, as an OpenEnv environment."""

from .models import CamtrapAction, CamtrapObservation

__all__ = ["CamtrapAction", "CamtrapObservation"]
