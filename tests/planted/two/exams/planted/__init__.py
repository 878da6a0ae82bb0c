from .models import ExamAction, ExamObservation

__all__ = ["ExamAction", "ExamObservation"]
