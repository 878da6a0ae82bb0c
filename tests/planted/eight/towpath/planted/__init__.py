"""Questions to the archive of a canal company, as an OpenEnv environment."""

from .models import TowpathAction, TowpathObservation

__all__ = ["TowpathAction", "TowpathObservation"]
