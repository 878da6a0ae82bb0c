"""Marquetry environment."""
