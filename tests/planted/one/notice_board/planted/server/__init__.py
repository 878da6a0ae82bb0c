"""Server side of the notice board environment."""
