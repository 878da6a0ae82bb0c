"""notice board environment."""

try:
    from .models import RecordAction, NoticeObservation, NoticeState
except ImportError:
    from models import RecordAction, NoticeObservation, NoticeState

__all__ = ["RecordAction", "NoticeObservation", "NoticeState"]
