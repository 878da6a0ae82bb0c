"""Server side of the Shelving environment."""
