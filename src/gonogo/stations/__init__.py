"""One folder a station; stations share records, never code."""
