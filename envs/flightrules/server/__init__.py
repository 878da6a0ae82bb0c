"""The server: OpenEnv's environment around a flight, the app, its guard, and the page at `/web`."""
