from .models import StockAction, StockObservation, StockState

__all__ = ["StockAction", "StockObservation", "StockState"]
