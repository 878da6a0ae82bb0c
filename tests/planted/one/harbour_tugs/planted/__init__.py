from .models import TugAction, TugObservation, TugState

__all__ = ["TugAction", "TugObservation", "TugState"]
