from .models import InspectAction, InspectObservation

__all__ = ["InspectAction", "InspectObservation"]
