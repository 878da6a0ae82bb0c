"""A season of trade with mules, as an OpenEnv environment."""

from .models import SaltroadAction, SaltroadObservation

__all__ = ["SaltroadAction", "SaltroadObservation"]
