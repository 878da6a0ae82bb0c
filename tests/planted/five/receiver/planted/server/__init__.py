"""Server package of the receiver environment."""
