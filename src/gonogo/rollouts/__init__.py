"""Flying episodes: connections, policies, and the engine between them."""
