"""Climate Bulletin environment."""

from .models import BulletinAction, BulletinObservation, BulletinState

__all__ = ["BulletinAction", "BulletinObservation", "BulletinState"]
