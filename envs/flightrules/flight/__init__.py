"""One flight of one mission: commands and their legality, the simulation, telemetry, verdicts, the score."""
