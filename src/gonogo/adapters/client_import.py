"""Importing an environment's client, in a process of its own: what does that bring in?

A client is what a trainer installs; importing it must not run the server. A subprocess proves it: it
imports the client and nothing else, and says which files of the environment were loaded with it.
"""

from __future__ import annotations

from pathlib import Path

from pydantic_core import from_json

from gonogo.adapters.child import Child
from gonogo.adapters.openenv_worker import (
    child_spec,
    take_frame,
    worker_command,
)
from gonogo.adapters.targets import FolderTarget
from gonogo.adapters.variables import child_environment
from gonogo.rollout.protocols import Json

__all__ = ["find_client", "import_client"]


def find_client(target: FolderTarget) -> Path | None:
    """The client's file: ``client.py`` in the folder or in a package under ``src``; None if there is none."""
    candidates = [target.folder / "client.py", *sorted(target.folder.glob("src/*/client.py"))]
    return next((path for path in candidates if path.is_file()), None)


def import_client(target: FolderTarget, client: Path, timeout_s: float) -> Json:
    """Import the client in a process of its own.

    Args:
        target: The environment.
        client: What :func:`find_client` found.
        timeout_s: Seconds that it may take.

    Returns:
        ``classes``, the OpenEnv clients in it; ``loaded``, files of the folder by module;
        ``environments``, server environments that came along; or ``error``.
    """
    spec = {**child_spec(target), "kind": "client", "module": module_name(target, client)}
    child = Child(worker_command(spec, "{read}", "{write}"), target.folder, child_environment())
    try:
        answer: Json = from_json(child.exchange(b"", take_frame, timeout_s))
        return answer
    except BrokenPipeError:
        return {"error": f"importing the client ended its process: it {child.obituary()}"}
    except TimeoutError:
        return {"error": f"not imported within {timeout_s:g} s\n{child.abort()}"}
    finally:
        child.close()


def module_name(target: FolderTarget, client: Path) -> str:
    """The name that a user imports the client by."""
    if client.parent != target.folder:
        return f"{client.parent.name}.client"
    names = [*target.packages, *target.aliases]
    return f"{names[0]}.client" if names else "client"
