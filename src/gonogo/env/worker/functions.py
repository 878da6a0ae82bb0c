"""Running a stranger's functions inside a worker process.

Loaded by its path from :mod:`gonogo.env.worker.program`, and like it imports nothing of gonogo. It speaks
JSON lines on the stdin and stdout that it was given, as a policy those of :mod:`gonogo.policies.external`, as
rewards those of :mod:`gonogo.env.reward_functions`; what the functions print goes to stderr.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import os
import sys
import traceback
import typing
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TextIO

if typing.TYPE_CHECKING or __package__:
    from gonogo.env.worker.boundary import Boundary
else:
    from worker_boundary import Boundary

SHOWN_CHARS = 200


def log_nothing(*_: Any, **__: Any) -> None:
    """What TRL gives a reward function to log with; nobody reads it here."""


FROM_TRL = {"trainer_state": None, "log_extra": log_nothing, "log_metric": log_nothing}
"""What TRL gives a reward function beside the columns."""


def load(path: str) -> Callable[..., Any]:
    """The function at ``package.module:function``, from the working directory or as any import."""
    module, _, name = path.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


def serve_policy(function: Callable[..., Any], requests: TextIO, answers: TextIO) -> None:
    """Answer every view with the function's action."""
    memories: dict[str, dict[str, Any]] = {}
    for line in requests:
        said = json.loads(line)
        episode = said["episode"]
        if said["type"] == "end":
            memories.pop(episode, None)
            continue
        action = function(said["observation"], memories.setdefault(episode, {}))
        print(json.dumps({"episode": episode, "action": action}), file=answers, flush=True)


class BrokenRewards(Exception):
    """A reward function's answer broke a rule: the message is the rule and the value."""


def serve_rewards(
    functions: dict[str, Callable[..., Any]], requests: TextIO, answers: TextIO
) -> None:
    """Answer every batch with a list of numbers for each function, or with what is wrong with one."""
    for line in requests:
        batch = json.loads(line)
        paid: dict[str, Any] = {}
        for path, function in functions.items():
            with Boundary() as asked:
                paid[path] = rewards_of(function, batch)
            if isinstance(asked.error, BrokenRewards):
                paid = {"error": f"{path} {asked.error}"}
                break
            if asked.error is not None:
                traceback.print_exception(asked.error)
                paid = {"raised": f"{path} raised {type(asked.error).__name__}: {asked.error}"}
                break
        print(json.dumps(paid), file=answers, flush=True)


def rewards_of(function: Callable[..., Any], batch: dict[str, Any]) -> list[float | None]:
    """What a function pays for each episode; one that is asynchronous is awaited, as TRL does.

    Raises:
        BrokenRewards: It is not a number, or None, for each.
    """
    given = function(**batch, **taken_of(FROM_TRL, function))
    if inspect.isawaitable(given):
        given = asyncio.run(result_of(given))
    if isinstance(given, str | bytes | dict) or not isinstance(given, Iterable):
        raise BrokenRewards(f"must answer a list with a number for each episode, not {given!r}")
    paid = []
    for value in given:
        try:
            paid.append(None if value is None else float(value))
        except (TypeError, ValueError, OverflowError):
            shown = repr(value)[:SHOWN_CHARS]
            raise BrokenRewards(f"must answer numbers, not {shown}") from None
    return paid


def taken_of(offered: dict[str, Any], function: Callable[..., Any]) -> dict[str, Any]:
    """What a function takes of what it might be given beside."""
    parameters = inspect.signature(function).parameters
    if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values()):
        return offered
    return {name: value for name, value in offered.items() if name in parameters}


async def result_of(waiting: Awaitable[Any]) -> Any:
    """What is awaited."""
    return await waiting


def serve(role: str, paths: list[str]) -> None:
    """Serve until stdin ends; a function that cannot be loaded is answered as the protocols' own error.

    Args:
        role: ``policy``, of the first function, or ``rewards``.
        paths: ``package.module:function`` of each.
    """
    sys.path.insert(0, os.getcwd())
    requests, answers = out_of_the_way()
    try:
        functions = {path: load(path) for path in paths}
    except (ImportError, AttributeError) as error:
        requests.readline()
        print(json.dumps({"error": f"{', '.join(paths)} cannot be loaded: {error}"}), file=answers)
        return
    if role == "policy":
        serve_policy(functions[paths[0]], requests, answers)
    else:
        serve_rewards(functions, requests, answers)


def out_of_the_way() -> tuple[TextIO, TextIO]:
    """The pipes on descriptors of their own: what the functions and their libraries print goes to stderr."""
    requests = open(os.dup(0), encoding="utf-8")  # noqa: SIM115 - as long as the process lives
    answers = open(os.dup(1), "w", encoding="utf-8")  # noqa: SIM115
    with open(os.devnull, encoding="utf-8") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return requests, answers
