"""Server side of the borewell environment."""
