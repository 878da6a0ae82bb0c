"""A training's config, written from what was measured, with the reason for each value."""
