"""Kinship question answering."""
