"""The drives of a radio dish, as an OpenEnv environment."""

from .models import DishAction, DishObservation

__all__ = ["DishAction", "DishObservation"]
