"""night shift environment."""

try:
    from .models import PressAction, FloorObservation, FloorState
except ImportError:
    from models import PressAction, FloorObservation, FloorState

__all__ = ["PressAction", "FloorObservation", "FloorState"]
