"""Waterworks environment."""

from .models import WaterworksAction, WaterworksObservation, WaterworksState

__all__ = ["WaterworksAction", "WaterworksObservation", "WaterworksState"]
