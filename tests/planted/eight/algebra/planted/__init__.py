"""A sheet of school algebra, as an OpenEnv environment."""

from .models import AlgebraAction, AlgebraObservation

__all__ = ["AlgebraAction", "AlgebraObservation"]
