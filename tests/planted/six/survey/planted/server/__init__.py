"""Server package of the survey environment."""
