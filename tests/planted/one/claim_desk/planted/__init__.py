"""claim desk environment."""

try:
    from .models import ClaimAction, ClaimObservation, ClaimState
except ImportError:
    from models import ClaimAction, ClaimObservation, ClaimState

__all__ = ["ClaimAction", "ClaimObservation", "ClaimState"]
