from .models import PrintFarmAction, PrintFarmObservation, PrintFarmState

__all__ = ["PrintFarmAction", "PrintFarmObservation", "PrintFarmState"]
