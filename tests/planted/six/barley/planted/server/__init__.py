"""Barley variety trial environment."""
