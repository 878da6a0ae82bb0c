"""Importing an environment's client, in a process of its own: what does that bring in?

A client is what a trainer installs; importing it must not run the server. A subprocess proves it: it
imports the client and nothing else, and says which files of the environment were loaded with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from gonogo.env.target import FolderTarget
from gonogo.env.variables import child_environment
from gonogo.env.worker.child import Child, Malformed
from gonogo.env.worker.client import child_spec, worker_command
from gonogo.env.worker.frames import read_first, shown, take_frame

__all__ = ["ImportedClient", "find_client", "import_client"]


@dataclass(frozen=True, slots=True)
class ImportedClient:
    """What importing a client brought in.

    Attributes:
        error: Why it could not be imported; None where it could.
        classes: OpenEnv's clients in it.
        loaded: Files of the folder by module.
        environments: Server environments that came along.
    """

    error: str | None = None
    classes: tuple[str, ...] = ()
    loaded: dict[str, str] = field(default_factory=dict)
    environments: tuple[str, ...] = ()


def find_client(target: FolderTarget) -> Path | None:
    """The client's file: ``client.py`` in the folder or in a package under ``src``; None if there is none."""
    candidates = [target.folder / "client.py", *sorted(target.folder.glob("src/*/client.py"))]
    return next((path for path in candidates if path.is_file()), None)


def import_client(target: FolderTarget, client: Path, timeout_s: float) -> ImportedClient:
    """Import the client in a process of its own.

    Args:
        target: The environment.
        client: What :func:`find_client` found.
        timeout_s: Seconds that it may take.
    """
    spec = {**child_spec(target), "kind": "client", "module": module_name(target, client)}
    child = Child(worker_command(spec, "{read}", "{write}"), target.folder, child_environment())
    try:
        _, body = child.exchange(b"", take_frame, timeout_s)
        return read_import(body)
    except Malformed as error:
        return ImportedClient(f"importing the client broke the worker's protocol: {error}")
    except BrokenPipeError:
        return ImportedClient(f"importing the client ended its process: it {child.obituary()}")
    except TimeoutError:
        return ImportedClient(f"not imported within {timeout_s:g} s\n{child.abort()}")
    finally:
        child.close()


def module_name(target: FolderTarget, client: Path) -> str:
    """The name that a user imports the client by."""
    if client.parent != target.folder:
        return f"{client.parent.name}.client"
    names = [*target.packages, *target.aliases]
    return f"{names[0]}.client" if names else "client"


def read_import(body: bytes) -> ImportedClient:
    """What the process said of the import.

    Raises:
        Malformed: It is nothing of the kind.
    """
    said = read_first(body)
    texts = {"classes": list, "environments": list, "loaded": dict}
    fits = isinstance(said, dict) and (
        isinstance(said.get("error"), str)
        or all(isinstance(said.get(name), kind) for name, kind in texts.items())
    )
    if not fits:
        raise Malformed(f"the answer must say what was imported, not {shown(said)}")
    if "error" in said:
        return ImportedClient(said["error"])
    return ImportedClient(None, tuple(said["classes"]), said["loaded"], tuple(said["environments"]))
