"""The server of the rogue."""
