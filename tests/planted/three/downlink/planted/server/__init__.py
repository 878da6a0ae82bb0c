"""Server side of the downlink environment."""
