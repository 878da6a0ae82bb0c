from .models import KilnAction, KilnObservation, KilnState

__all__ = ["KilnAction", "KilnObservation", "KilnState"]
