"""The child process that foreign code runs in, and the client that speaks with it."""
