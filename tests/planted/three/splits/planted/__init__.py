"""Splits: publish the result list of a road race from several chip readers."""

try:
    from .models import SplitsAction, SplitsObservation, SplitsState
except ImportError:
    from models import SplitsAction, SplitsObservation, SplitsState

__all__ = ["SplitsAction", "SplitsObservation", "SplitsState"]
