"""Server side of the Lamplight environment."""
