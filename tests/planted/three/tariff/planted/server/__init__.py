"""Server side of the tariff environment."""
