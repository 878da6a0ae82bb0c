"""Server side of the claim desk environment."""
