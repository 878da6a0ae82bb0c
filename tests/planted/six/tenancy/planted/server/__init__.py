"""Server package of the tenancy environment."""
