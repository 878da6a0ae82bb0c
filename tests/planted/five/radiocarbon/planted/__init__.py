"""Archaeological dating laboratory."""
