"""Server side of the pattern workshop environment."""
