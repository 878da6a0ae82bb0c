"""Reading comprehension over small parlour scenes, as an OpenEnv environment."""

from .models import ParlourAction, ParlourObservation

__all__ = ["ParlourAction", "ParlourObservation"]
