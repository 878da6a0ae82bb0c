"""Takes any OpenEnv environment from "it runs" to "an agent got measurably better in it".

``import gonogo as gg`` imports nothing else: a name is looked up where it is defined when it is first used (PEP 562).
"""

from __future__ import annotations

from importlib import import_module, metadata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gonogo.api import load_environment as load_environment
    from gonogo.api import replay as replay
    from gonogo.api import rollout as rollout
    from gonogo.env.environment import Env as Env
    from gonogo.rollout.collection import Episodes as Episodes

HOMES = {
    "Env": "gonogo.env.environment",
    "Episodes": "gonogo.rollout.collection",
    "load_environment": "gonogo.api",
    "replay": "gonogo.api",
    "rollout": "gonogo.api",
}
"""The module that defines each public name."""

__all__ = [*sorted(HOMES), "__version__"]  # noqa: PLE0604 - the names above


def __getattr__(name: str) -> object:
    """A public name, looked up when it is first used.

    Raises:
        AttributeError: There is none of that name.
    """
    if name == "__version__":
        return metadata.version("gonogo")
    if name not in HOMES:
        raise AttributeError(f"module 'gonogo' has no attribute {name!r}")
    return getattr(import_module(HOMES[name]), name)


def __dir__() -> list[str]:
    """The public names."""
    return sorted([*globals(), *__all__])
