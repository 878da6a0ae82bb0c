"""Drawings of a training and of flights, with what each shows as metadata."""
