"""Server package of the syndrome environment."""
