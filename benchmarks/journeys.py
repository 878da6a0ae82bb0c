"""How many modules one has to read to follow an action, or a target on its way to a finding.

``sys.setprofile`` hears each call in this process and its threads. Two commands are followed: ``rollout`` of one
episode of one step, which is an action on its way from the command to the environment and back; and ``audit`` of an
environment that pays for its own claim, which is a target on its way to a finding. Counted are the modules of gonogo
that are entered, and how often the way returns to a module that it had left for another. All modules are imported
before, so that no class that is made by an import counts as a call. The worker's own process is not followed.

    python benchmarks/journeys.py
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import pkgutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import gonogo
from gonogo.cli import main as command

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = str(Path(gonogo.__file__).parent)
JOURNEYS = {
    "action": [
        "rollout",
        "tests/zoo/gridworld",
        "--policies",
        "random",
        "--episodes",
        "1",
        "--config",
    ],
    "finding": [
        "audit",
        "tests.zoo.cases.self_reported_reward:Defect",
        "--seeds",
        "4",
        "--budget",
        "2000",
    ],
}
PROGRAMS = ("__main__", ".program", ".saved_model_check")
"""Modules that are run by their names."""
SHORT = "target: tests/zoo/gridworld\nrollout: {max_turns: 1}\n"


class Followed:
    """What the profiler heard.

    Attributes:
        modules: The modules that were entered.
        returns: How often a module was entered again by a call from another one.
    """

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self.returns = 0
        self._last: dict[int, str] = {}

    def hear(self, frame: FrameType, event: str, _: Any) -> None:
        """Take one event of ``sys.setprofile``."""
        file = frame.f_code.co_filename
        if event != "call" or frame.f_code.co_name == "<module>" or not file.startswith(PACKAGE):
            return
        thread = threading.get_ident()
        if file != self._last.get(thread):
            self.returns += file in self.modules
            self._last[thread] = file
        self.modules.add(file)


def follow(words: list[str]) -> Followed:
    """Run a command in this process, and follow it."""
    followed = Followed()
    sys.argv = ["gonogo", *words]
    with contextlib.suppress(SystemExit), quiet():
        threading.setprofile(followed.hear)
        sys.setprofile(followed.hear)
        try:
            command()
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
    return followed


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without what the command prints."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def import_all() -> None:
    """Import every module of gonogo that is one to be imported, and whose extra is installed."""
    for module in pkgutil.walk_packages(gonogo.__path__, "gonogo."):
        if not module.name.endswith(PROGRAMS):
            with contextlib.suppress(ModuleNotFoundError):  # Ray
                importlib.import_module(module.name)


def main() -> int:
    """Follow both, and print the counts."""
    import_all()
    for name, words in JOURNEYS.items():
        with tempfile.TemporaryDirectory() as folder:
            given = [*words, "--out", str(Path(folder) / "run")]
            if words[-1] == "--config":
                config = Path(folder) / "config.yaml"
                config.write_text(SHORT)
                given.insert(len(words), str(config))
            followed = follow(given)
        packages = {Path(file).relative_to(PACKAGE).parts[0] for file in followed.modules}
        print(
            f"{name}: {len(followed.modules)} modules of {len(packages)} packages and files of gonogo are entered; "
            f"{followed.returns} returns to a module that was left"
        )
    return 0


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
