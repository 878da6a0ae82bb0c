"""Bank reconciliation environment."""
