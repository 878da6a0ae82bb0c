"""An environment that misbehaves."""
