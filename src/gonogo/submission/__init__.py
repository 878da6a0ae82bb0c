"""What the hackathon asks: a theme with its statement, the list of the submission, OpenEnv's checks."""
