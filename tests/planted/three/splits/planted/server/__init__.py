"""Server side of the splits environment."""
