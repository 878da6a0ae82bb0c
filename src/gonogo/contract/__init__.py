"""The map: what an environment is, and whether it keeps its contract."""
