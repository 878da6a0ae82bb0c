"""Charter collation environment."""
