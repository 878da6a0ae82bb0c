"""Survey table cleaning environment."""
