"""Loading dock with three trailers, as an OpenEnv environment."""

from .models import TrailersAction, TrailersObservation

__all__ = ["TrailersAction", "TrailersObservation"]
