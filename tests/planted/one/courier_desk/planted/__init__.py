from .models import CourierAction, CourierObservation, CourierState

__all__ = ["CourierAction", "CourierObservation", "CourierState"]
