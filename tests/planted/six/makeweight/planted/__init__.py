"""Weighing puzzle environment."""
