"""The train station: traces of a teacher, then reinforcement, then a model that reloads."""
