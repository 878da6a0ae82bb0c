"""The program that flies a function as a policy: ``function_main.py package.module:function``.

It speaks the JSON lines of :mod:`gonogo.adapters.reference` on stdin and stdout and imports nothing of
gonogo, since the function is foreign code. What the function prints goes to stderr.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any


def main() -> None:
    """Answer every view with the function's action; an error becomes the protocol's own."""
    sys.path.insert(0, os.getcwd())
    answers, sys.stdout = sys.stdout, sys.stderr
    module, _, name = sys.argv[1].partition(":")
    try:
        function = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        sys.stdin.readline()
        print(json.dumps({"error": f"{sys.argv[1]} cannot be loaded: {error}"}), file=answers)
        return
    memories: dict[str, dict[str, Any]] = {}
    for line in sys.stdin:
        said = json.loads(line)
        episode = said["episode"]
        if said["type"] == "end":
            memories.pop(episode, None)
            continue
        action = function(said["observation"], memories.setdefault(episode, {}))
        print(json.dumps({"episode": episode, "action": action}), file=answers, flush=True)


if __name__ == "__main__":
    main()
