"""What the pairs of the held-back half are built on: the zoo's base, and what some of its cases add."""

from tests.zoo.cases._base import Episodic, Json, Tasked
from tests.zoo.cases._told import Graded, Told

__all__ = ["Episodic", "Graded", "Json", "Tasked", "Told"]
