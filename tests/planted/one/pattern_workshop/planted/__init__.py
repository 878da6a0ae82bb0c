"""pattern workshop environment."""

try:
    from .models import PatternAction, WorkshopObservation, WorkshopState
except ImportError:
    from models import PatternAction, WorkshopObservation, WorkshopState

__all__ = ["PatternAction", "WorkshopObservation", "WorkshopState"]
