"""Server side of the cavern environment."""
