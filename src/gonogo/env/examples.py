"""The example that a model is given: a simple action that the environment's own class takes, where there is one."""

from __future__ import annotations

from gonogo.env.worker.client import WorkerConnection
from gonogo.rollout.examples import simple_actions
from gonogo.rollout.types import Json

__all__ = ["accepted"]


def accepted(connection: WorkerConnection) -> Json | None:
    """The simplest action that the environment's class takes; None where it takes the schema's, or none.

    Args:
        connection: To the environment; no instance of it is made.
    """
    codec = connection.schemas.codec()
    if codec.reply_field is not None or connection.fits([codec.example()])[0]:
        return None
    actions = simple_actions(connection.schemas)
    takes = connection.fits(actions)
    return next((action for action, fits in zip(actions, takes, strict=True) if fits), None)
