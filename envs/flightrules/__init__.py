"""flightrules: fly a spacecraft mission under directives, over OpenEnv's interface.

Importing this package brings nothing yet. What it offers, the client and the wire's types, is imported
when it is first named: whatever needs the missions alone, as the processes that prove them do, is
spared openenv's seconds. The simulator is imported by the server (`flightrules.server`).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flightrules.client import FlightRulesEnv
    from flightrules.models import FlightAction, FlightObservation, FlightState

__all__ = ["FlightAction", "FlightObservation", "FlightRulesEnv", "FlightState"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = "flightrules.client" if name == "FlightRulesEnv" else "flightrules.models"
    return getattr(import_module(module), name)
