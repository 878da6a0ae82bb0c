"""Opening a target: a worker process for a folder or an import path, a WebSocket for a server's URL."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from gonogo.config import RolloutConfig
from gonogo.env.judged import judged
from gonogo.env.target import FolderTarget, RewardFile, Target, UrlTarget
from gonogo.env.variables import pass_on, say_that_it_runs
from gonogo.errors import CodecError, EnvironmentFailure, Misuse
from gonogo.rollouts.codec import Codec
from gonogo.rollouts.schema import takes_tools
from gonogo.rollouts.types import Inspection
from gonogo.wire import JsonObject

__all__ = ["connect"]

DEFAULT = RolloutConfig()


def connect(
    target: Target,
    slots: int,
    rollout: RolloutConfig = DEFAULT,
    *,
    hash_seed: int | None = None,
    reward: RewardFile | Path | None = None,
) -> Inspection:
    """Open a target.

    Args:
        target: What :func:`gonogo.env.target.resolve` gave.
        slots: How many episodes should fly at once. The connection's ``capacity`` says how many can:
            an environment that does not declare concurrent sessions gets one.
        rollout: How long a batch, and loading or connecting, may take, and what success is.
        hash_seed: ``PYTHONHASHSEED`` of the process that is started; a server's is its own affair.
        reward: What pays instead of the environment; None for its own reward.

    Raises:
        Misuse: A reward was given for a server, whose process is out of reach; or what success is to be cannot be
            told from the environment's observations; or a variable is to be given that is not set.
        ConfigError: The given reward breaks a rule; a connection may also find that while it flies.
        TargetError: There is no environment at the target, or it cannot be imported.
        EnvironmentFailure: It is there, and failed.
    """
    pass_on(rollout.env)
    if isinstance(target, FolderTarget):
        say_that_it_runs(target.folder)
    waits = {"timeout_s": rollout.timeout_s, "startup_s": rollout.startup_s}
    connection: Inspection
    given = RewardFile(reward) if isinstance(reward, Path) else reward
    if isinstance(target, UrlTarget):
        if given is not None:
            raise Misuse(
                f"a reward is applied where the environment runs, and {target} is a server's URL: "
                "give its folder or package.module:EnvironmentClass instead"
            )
        from gonogo.env.websocket import WebSocketConnection

        connection = told(target, WebSocketConnection(target, slots, **waits))
    else:
        from gonogo.env.worker.client import WorkerConnection
        from gonogo.rollouts.examples import accepted

        worker = WorkerConnection(target, slots, **waits, hash_seed=hash_seed, reward=given)
        connection = told(target, worker)
        example = accepted(connection.schemas, worker.fits)
        connection.schemas = replace(connection.schemas, example=example)
    return judged(connection, rollout.success)


def told(target: Target, connection: Inspection) -> Inspection:
    """The connection, with the tools that its actions call, and an action schema that can be told.

    Raises:
        EnvironmentFailure: Its action schema is none. The connection is closed.
    """
    if takes_tools(connection.schemas.action):
        # One that cannot be asked for its tools is flown without, and the map says why.
        with suppress(EnvironmentFailure):
            found = tuple(told_tool(tool) for tool in connection.describe().tools)
            connection.schemas = replace(connection.schemas, tools=found)
    try:
        connection.schemas.codec()
    except CodecError as error:
        connection.close()
        raise EnvironmentFailure(f"{target}: {error}") from None
    return connection


def told_tool(tool: JsonObject) -> JsonObject:
    """A tool as a model can be told of it: one whose arguments have no JSON schema takes any."""
    takes = tool.get("input_schema")
    try:
        Codec(takes if isinstance(takes, dict) else {}, {})
    except CodecError:
        takes = {}
    return {**tool, "input_schema": takes if isinstance(takes, dict) else {}}
