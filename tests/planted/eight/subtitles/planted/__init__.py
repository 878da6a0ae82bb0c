"""Subtitling of spoken film commentary, as an OpenEnv environment."""

from .models import SubtitlesAction, SubtitlesObservation

__all__ = ["SubtitlesAction", "SubtitlesObservation"]
