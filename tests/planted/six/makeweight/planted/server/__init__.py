"""Server package of the makeweight environment."""
