"""Two penguins on breaking ice, as an OpenEnv environment."""

from .models import FloesAction, FloesObservation

__all__ = ["FloesAction", "FloesObservation"]
