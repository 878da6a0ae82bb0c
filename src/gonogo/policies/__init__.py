"""A policy by its name, its path, its function or a model's folder."""
