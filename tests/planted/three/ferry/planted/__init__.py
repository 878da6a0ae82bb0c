"""Ferry: load a car deck lane by lane within the stowage rules."""

try:
    from .models import FerryAction, FerryObservation, FerryState
except ImportError:
    from models import FerryAction, FerryObservation, FerryState

__all__ = ["FerryAction", "FerryObservation", "FerryState"]
