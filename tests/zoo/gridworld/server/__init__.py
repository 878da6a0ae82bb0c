"""The server of the gridworld."""
