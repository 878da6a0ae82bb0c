"""Tomorrow's list of an operating department, as an OpenEnv environment."""

from .models import TheatreAction, TheatreObservation

__all__ = ["TheatreAction", "TheatreObservation"]
