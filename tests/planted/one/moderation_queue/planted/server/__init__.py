"""Server side of the moderation queue environment."""
