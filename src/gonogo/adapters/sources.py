"""Which source a target is, as a hash: what has to be the same for a record to be about the same environment.

Nothing is imported: a module is looked for where an import would look, and read as a file.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from importlib.machinery import PathFinder
from pathlib import Path

from gonogo.adapters.targets import FolderTarget, ImportTarget, Target
from gonogo.folder import read_bytes
from gonogo.records import source_hash

__all__ = ["module_hash", "source_of", "source_of_all"]


def source_of(target: Target) -> str | None:
    """SHA-256 of a target's source: its folder, or its module; None for a server, whose source is elsewhere."""
    if isinstance(target, FolderTarget):
        return source_hash(target.folder)
    return module_hash(target.path) if isinstance(target, ImportTarget) else None


def source_of_all(targets: Sequence[Target]) -> str | None:
    """One hash of the sources of all targets, in their order; of a single one its own."""
    found = [source_of(target) for target in targets]
    if len(found) == 1:
        return found[0]
    return hashlib.sha256(json.dumps(found).encode()).hexdigest()


def module_hash(path: str) -> str | None:
    """SHA-256 of the file behind ``package.module:name`` and of the folder that it shares with its package.

    Args:
        path: Looked up from the working directory, then as Python's own path says.

    Returns:
        64 hexadecimal digits; None where no source file is found.
    """
    file = find_module(path.partition(":")[0])
    if file is None:
        return None
    if not (file.parent / "__init__.py").is_file():
        return hashlib.sha256(read_bytes(file)).hexdigest()
    return source_hash(file.parent)


def find_module(name: str) -> Path | None:
    """The source file of a module that is not imported; None where there is none."""
    places = [str(Path.cwd()), *sys.path]
    origin: str | None = None
    for part in name.split("."):
        # The part alone: with its parents' names, the parents would have to be imported.
        spec = PathFinder.find_spec(part, places)
        if spec is None:
            return None
        origin, places = spec.origin, list(spec.submodule_search_locations or ())
    file = None if origin is None else Path(origin)
    return file if file is not None and file.suffix == ".py" and file.is_file() else None
