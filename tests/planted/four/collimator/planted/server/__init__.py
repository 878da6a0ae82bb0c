"""Server side of the collimator environment."""
