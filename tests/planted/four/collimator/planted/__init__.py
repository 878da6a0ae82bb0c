"""Collimator: laser bench alignment."""

from .models import CollimatorAction, CollimatorObservation

__all__ = ["CollimatorAction", "CollimatorObservation"]
