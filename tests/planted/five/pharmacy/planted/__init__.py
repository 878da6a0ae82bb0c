"""Dispensary counter environment."""
