"""Dispatch desk of a small taxi firm, as an OpenEnv environment."""

from .models import MinicabAction, MinicabObservation

__all__ = ["MinicabAction", "MinicabObservation"]
