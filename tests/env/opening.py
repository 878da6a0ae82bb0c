"""The environments that a trainee takes, over a connection that is open already."""

from __future__ import annotations

from gonogo.config import RunConfig
from gonogo.rollouts.types import Connection
from gonogo.training.environments import Environments, environments_of


def opened(run: RunConfig, grid: Connection) -> Environments:
    """The run's first environment alone, over the given connection."""
    first = environments_of(run)[0]
    first.env.connection = grid
    return Environments([first])
