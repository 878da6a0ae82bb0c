"""Server side of the birding environment."""
