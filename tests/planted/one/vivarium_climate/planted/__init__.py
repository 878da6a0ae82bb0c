from .models import ClimateAction, ClimateObservation, ClimateState

__all__ = ["ClimateAction", "ClimateObservation", "ClimateState"]
