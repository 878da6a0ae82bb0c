"""Server side of the incident report environment."""
