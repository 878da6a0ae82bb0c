from .models import PianoAction, PianoObservation, PianoState

__all__ = ["PianoAction", "PianoObservation", "PianoState"]
