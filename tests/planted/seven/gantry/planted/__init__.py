"""A gantry crane with a swinging load, as an OpenEnv environment."""

from .models import GantryAction, GantryObservation

__all__ = ["GantryAction", "GantryObservation"]
