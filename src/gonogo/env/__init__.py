"""An environment under test: its target, its transports, its source, its rewards and what success is."""
