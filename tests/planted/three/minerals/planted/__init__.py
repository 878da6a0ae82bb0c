"""Minerals: determine a drawer of mineral samples with a determination table."""

try:
    from .models import MineralsAction, MineralsObservation, MineralsState
except ImportError:
    from models import MineralsAction, MineralsObservation, MineralsState

__all__ = ["MineralsAction", "MineralsObservation", "MineralsState"]
