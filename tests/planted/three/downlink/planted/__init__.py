"""Downlink: pack scan lines of a small satellite for a narrow radio link."""

try:
    from .models import DownlinkAction, DownlinkObservation, DownlinkState
except ImportError:
    from models import DownlinkAction, DownlinkObservation, DownlinkState

__all__ = ["DownlinkAction", "DownlinkObservation", "DownlinkState"]
