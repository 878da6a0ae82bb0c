"""Cold room inspection environment."""
