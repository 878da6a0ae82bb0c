from .models import FreightAction, FreightObservation, FreightState

__all__ = ["FreightAction", "FreightObservation", "FreightState"]
