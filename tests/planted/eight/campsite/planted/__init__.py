"""The guest desk of a campsite, as an OpenEnv environment."""

from .models import CampsiteAction, CampsiteObservation

__all__ = ["CampsiteAction", "CampsiteObservation"]
