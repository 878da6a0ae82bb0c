"""Timetable environment."""

from .models import TimetableAction, TimetableObservation, TimetableState

__all__ = ["TimetableAction", "TimetableObservation", "TimetableState"]
