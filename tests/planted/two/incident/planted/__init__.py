from .models import IncidentAction, IncidentObservation

__all__ = ["IncidentAction", "IncidentObservation"]
