"""Server side of the night shift environment."""
