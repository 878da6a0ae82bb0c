"""Running a stranger's functions inside a worker process.

Loaded by its path from :mod:`gonogo.adapters.worker_main`, and like it imports nothing of gonogo. It speaks
JSON lines on stdin and stdout, as a policy those of :mod:`gonogo.adapters.reference`, as rewards those of
:mod:`gonogo.adapters.rewards`; what the functions print goes to stderr.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable
from typing import Any, TextIO


def load(path: str) -> Callable[..., Any]:
    """The function at ``package.module:function``, from the working directory or as any import."""
    module, _, name = path.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


def serve_policy(function: Callable[..., Any], answers: TextIO) -> None:
    """Answer every view with the function's action."""
    memories: dict[str, dict[str, Any]] = {}
    for line in sys.stdin:
        said = json.loads(line)
        episode = said["episode"]
        if said["type"] == "end":
            memories.pop(episode, None)
            continue
        action = function(said["observation"], memories.setdefault(episode, {}))
        print(json.dumps({"episode": episode, "action": action}), file=answers, flush=True)


def serve_rewards(functions: dict[str, Callable[..., Any]], answers: TextIO) -> None:
    """Answer every batch with a list of numbers for each function."""
    for line in sys.stdin:
        batch = json.loads(line)
        paid = {
            path: [None if value is None else float(value) for value in function(**batch)]
            for path, function in functions.items()
        }
        print(json.dumps(paid), file=answers, flush=True)


def serve(role: str, paths: list[str]) -> None:
    """Serve until stdin ends; a function that cannot be loaded is answered as the protocols' own error.

    Args:
        role: ``policy``, of the first function, or ``rewards``.
        paths: ``package.module:function`` of each.
    """
    sys.path.insert(0, os.getcwd())
    answers, sys.stdout = sys.stdout, sys.stderr
    try:
        functions = {path: load(path) for path in paths}
    except (ImportError, AttributeError) as error:
        sys.stdin.readline()
        print(json.dumps({"error": f"{', '.join(paths)} cannot be loaded: {error}"}), file=answers)
        return
    if role == "policy":
        serve_policy(functions[paths[0]], answers)
    else:
        serve_rewards(functions, answers)
