"""Server side of the ferry environment."""
