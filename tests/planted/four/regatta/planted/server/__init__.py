"""Server side of the regatta environment."""
