"""Server side of the minerals environment."""
