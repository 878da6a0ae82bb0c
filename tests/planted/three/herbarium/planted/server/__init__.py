"""Server side of the Herbarium environment."""
