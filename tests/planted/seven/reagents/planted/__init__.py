"""Six unlabelled vials and a rack of reagents, as an OpenEnv environment."""

from .models import ReagentsAction, ReagentsObservation

__all__ = ["ReagentsAction", "ReagentsObservation"]
