"""The grade station: OpenEnv's own named checks, graded, in a report of OpenEnv's own schema."""
