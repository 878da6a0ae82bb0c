"""What a command reads of gonogo and of libraries before it works: nothing of another command's."""

from __future__ import annotations

import json
import subprocess
import sys

SEEN = "import json, sys; print(json.dumps(sorted(sys.modules)))"
HEAVY = {"matplotlib", "scipy.stats", "huggingface_hub", "torch", "transformers", "openenv"}
PARSER = {
    "cli",
    "config",
    "env",
    "errors",
    "faults",
    "folder",
    "nearest",
    "records",
    "rollouts",
    "wire",
}
"""What tells a wrong path, and says it."""


def read_after(code: str) -> set[str]:
    """Modules that a process has read after the code."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{SEEN}"], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def rooms(modules: set[str]) -> set[str]:
    """The parts of gonogo among modules."""
    return {name.split(".")[1] for name in modules if name.startswith("gonogo.")}


def test_an_audit_opens_its_environment_without_another_command_and_without_heavy_libraries() -> (
    None
):
    seen = read_after(
        "import gonogo.pipeline.audit, gonogo.env.worker.client, gonogo.env.websocket"
    )
    assert not HEAVY & seen
    assert not {
        "evaluation",
        "play",
        "plots",
        "reporting",
        "reward",
        "submission",
        "training",
    } & rooms(seen)


def test_a_wrong_path_is_told_by_the_parser_alone() -> None:
    seen = read_after(
        "import contextlib, sys\n"
        "from gonogo.cli import main\n"
        "sys.argv = ['gonogo', 'audit', '/nowhere']\n"
        "with contextlib.suppress(SystemExit):\n"
        "    main()"
    )
    assert not HEAVY & seen
    assert "numpy" not in seen
    assert rooms(seen) <= PARSER, sorted(rooms(seen) - PARSER)
