from .models import DroneAction, DroneObservation

__all__ = ["DroneAction", "DroneObservation"]
