"""Regatta: rowing forecasts from training runs."""

from .models import RegattaAction, RegattaObservation

__all__ = ["RegattaAction", "RegattaObservation"]
