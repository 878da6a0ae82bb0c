"""Tariff: bring a parcel price table up to date with the change notices."""

try:
    from .models import TariffAction, TariffObservation, TariffState
except ImportError:
    from models import TariffAction, TariffObservation, TariffState

__all__ = ["TariffAction", "TariffObservation", "TariffState"]
