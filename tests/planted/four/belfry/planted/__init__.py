from .models import BelfryAction, BelfryObservation, BelfryState

__all__ = ["BelfryAction", "BelfryObservation", "BelfryState"]
