"""Valve radio repair environment."""
