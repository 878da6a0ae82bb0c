"""moderation queue environment."""

try:
    from .models import ModerationAction, QueueObservation, QueueState
except ImportError:
    from models import ModerationAction, QueueObservation, QueueState

__all__ = ["ModerationAction", "QueueObservation", "QueueState"]
