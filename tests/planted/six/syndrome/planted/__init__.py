"""Bedside diagnosis environment."""
