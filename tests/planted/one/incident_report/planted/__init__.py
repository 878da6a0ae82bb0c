"""incident report environment."""

try:
    from .models import SectionAction, ReportObservation, ReportState
except ImportError:
    from models import SectionAction, ReportObservation, ReportState

__all__ = ["SectionAction", "ReportObservation", "ReportState"]
