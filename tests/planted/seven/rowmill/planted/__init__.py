"""Repairing a table import in a small workspace, as an OpenEnv environment."""

from .models import RowmillAction, RowmillObservation

__all__ = ["RowmillAction", "RowmillObservation"]
