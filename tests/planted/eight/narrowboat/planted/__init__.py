"""Route planning on a canal network, as an OpenEnv environment."""

from .models import NarrowboatAction, NarrowboatObservation

__all__ = ["NarrowboatAction", "NarrowboatObservation"]
