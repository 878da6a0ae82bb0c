"""Server side of the Climate Bulletin environment."""
