"""Server package of the radiocarbon environment."""
