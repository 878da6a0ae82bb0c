"""The reporting desk of a mail-order firm: SQL on request, as an OpenEnv environment."""

from .models import QuerydeskAction, QuerydeskObservation

__all__ = ["QuerydeskAction", "QuerydeskObservation"]
