"""A morning in the anaemia clinic, as an OpenEnv environment."""

from .models import AnaemiaAction, AnaemiaObservation

__all__ = ["AnaemiaAction", "AnaemiaObservation"]
