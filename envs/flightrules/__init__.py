"""flightrules: fly a spacecraft mission under directives, over OpenEnv's interface.

Importing this package brings the client and the wire's types only; the simulator is imported by the
server (`flightrules.server`).
"""

from flightrules.client import FlightRulesEnv
from flightrules.models import FlightAction, FlightObservation, FlightState

__all__ = ["FlightAction", "FlightObservation", "FlightRulesEnv", "FlightState"]
