"""Rehearsal environment."""
