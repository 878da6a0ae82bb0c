"""A jobber on a commodity exchange: OpenEnv environment."""
