"""Damaged website in a terminal environment."""
