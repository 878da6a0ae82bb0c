"""Server package of the bookkeeping environment."""
