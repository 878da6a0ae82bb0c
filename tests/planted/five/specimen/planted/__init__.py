"""Specimen environment."""
