"""Meeting minutes environment."""
