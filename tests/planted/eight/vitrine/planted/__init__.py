"""Labels for the cases of a small museum, as an OpenEnv environment."""

from .models import VitrineAction, VitrineObservation

__all__ = ["VitrineAction", "VitrineObservation"]
