from .models import RegistryAction, RegistryObservation

__all__ = ["RegistryAction", "RegistryObservation"]
