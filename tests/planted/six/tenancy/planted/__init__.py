"""Tenancy agreement and notice form environment."""
