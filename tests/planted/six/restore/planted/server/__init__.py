"""Server package of the restore environment."""
