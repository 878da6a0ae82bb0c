"""Credit memos for small-business loans, as an OpenEnv environment."""

from .models import CreditMemoAction, CreditMemoObservation

__all__ = ["CreditMemoAction", "CreditMemoObservation"]
