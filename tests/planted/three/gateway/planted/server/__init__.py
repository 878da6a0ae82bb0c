"""Server side of the gateway environment."""
