from .models import TriageAction, TriageObservation, TriageState

__all__ = ["TriageAction", "TriageObservation", "TriageState"]
