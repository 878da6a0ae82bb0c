"""The only doors to heavy libraries: openenv, trl, transformers, and foreign processes."""
