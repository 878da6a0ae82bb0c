"""heating helpline environment."""

try:
    from .models import HelplineAction, HelplineObservation, HelplineState
except ImportError:
    from models import HelplineAction, HelplineObservation, HelplineState

__all__ = ["HelplineAction", "HelplineObservation", "HelplineState"]
