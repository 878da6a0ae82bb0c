"""Darkroom environment."""
