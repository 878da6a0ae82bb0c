"""Herbarium environment."""

from .models import HerbariumAction, HerbariumObservation, HerbariumState

__all__ = ["HerbariumAction", "HerbariumObservation", "HerbariumState"]
