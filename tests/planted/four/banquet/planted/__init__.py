from .models import BanquetAction, BanquetObservation, BanquetState

__all__ = ["BanquetAction", "BanquetObservation", "BanquetState"]
