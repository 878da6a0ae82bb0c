"""Server side of the horology environment."""
