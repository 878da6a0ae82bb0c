"""What an episode is worth: its outcome, and the four rubrics that judge it."""
