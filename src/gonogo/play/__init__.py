"""The fly station: a human flies an episode of any environment in the terminal."""
