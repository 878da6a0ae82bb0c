"""Server package of the charter environment."""
