from .models import HotboxAction, HotboxObservation, HotboxState

__all__ = ["HotboxAction", "HotboxObservation", "HotboxState"]
