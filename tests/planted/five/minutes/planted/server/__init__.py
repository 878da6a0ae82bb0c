"""Server package of the minutes environment."""
