"""Server side of the Waterworks environment."""
