"""Server side of the village reader environment."""
