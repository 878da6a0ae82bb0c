from .models import WineryAction, WineryObservation, WineryState

__all__ = ["WineryAction", "WineryObservation", "WineryState"]
