"""village reader environment."""

try:
    from .models import AnswerAction, ReadingObservation, ReadingState
except ImportError:
    from models import AnswerAction, ReadingObservation, ReadingState

__all__ = ["AnswerAction", "ReadingObservation", "ReadingState"]
