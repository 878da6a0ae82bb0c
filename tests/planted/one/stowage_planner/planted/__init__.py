from .models import StowageAction, StowageObservation, StowageState

__all__ = ["StowageAction", "StowageObservation", "StowageState"]
