"""Gateway: write a smoke suite for a REST service by exercising its endpoints."""

try:
    from .models import GatewayAction, GatewayObservation, GatewayState
except ImportError:
    from models import GatewayAction, GatewayObservation, GatewayState

__all__ = ["GatewayAction", "GatewayObservation", "GatewayState"]
