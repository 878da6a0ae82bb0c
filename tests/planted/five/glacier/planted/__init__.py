"""Glacier crossing environment."""
