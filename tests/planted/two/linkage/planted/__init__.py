from .models import LinkAction, LinkObservation

__all__ = ["LinkAction", "LinkObservation"]
