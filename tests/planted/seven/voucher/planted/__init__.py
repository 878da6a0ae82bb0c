"""Checking a month's expense claims against the handbook, as an OpenEnv environment."""

from .models import VoucherAction, VoucherObservation

__all__ = ["VoucherAction", "VoucherObservation"]
