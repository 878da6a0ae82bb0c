"""Server side of the heating helpline environment."""
