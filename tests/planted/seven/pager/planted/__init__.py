"""An on-call shift with a handful of broken services, as an OpenEnv environment."""

from .models import PagerAction, PagerObservation

__all__ = ["PagerAction", "PagerObservation"]
