"""Which source a target is, as a hash: what has to be the same for a record to be about the same environment.

Nothing is imported: a module is looked for where an import would look, and read as a file.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

from gonogo.env.target import FolderTarget, ImportTarget, Target, resolve
from gonogo.errors import Misuse
from gonogo.folder import read_bytes
from gonogo.nearest import names_in, nearest
from gonogo.records.provenance import source_hash

__all__ = ["check_function", "module_hash", "source_of", "source_of_all"]


def source_of(target: Target) -> str | None:
    """SHA-256 of a target's source: its folder, or its module; None for a server, whose source is elsewhere."""
    if isinstance(target, FolderTarget):
        return source_hash(target.folder)
    return module_hash(target.path) if isinstance(target, ImportTarget) else None


def source_of_all(addresses: Iterable[str]) -> str | None:
    """One hash of the sources of some environments, in their order; of a single one its own.

    Raises:
        TargetError: There is no environment at an address.
    """
    found = [source_of(resolve(address)) for address in addresses]
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
    spec = module_spec(name)
    file = None if spec is None or spec.origin is None else Path(spec.origin)
    return file if file is not None and file.suffix == ".py" and file.is_file() else None


def module_spec(name: str) -> ModuleSpec | None:
    """Where a module that is not imported is; None where there is none."""
    places = [str(Path.cwd()), *sys.path]
    spec: ModuleSpec | None = None
    for part in name.split("."):
        # The part alone: with its parents' names, the parents would have to be imported.
        spec = PathFinder.find_spec(part, places)
        if spec is None:
            return None
        places = list(spec.submodule_search_locations or ())
    return spec


def places_without(name: str) -> list[Path] | None:
    """The folders in which a module would have to be and is not; None where it may be found by running its parent."""
    parent, _, last = name.rpartition(".")
    if last in sys.stdlib_module_names or module_spec(name) is not None:
        return None
    if not parent:
        return [Path.cwd()]
    spec = module_spec(parent)
    if spec is None:
        return places_without(parent)
    given = set() if spec.origin is None else names_in(Path(spec.origin))
    places = [Path(place) for place in spec.submodule_search_locations or ()]
    return places if places and given is not None and last not in given else None


def importable(path: Path) -> bool:
    """Whether a path looks like a module or a package."""
    return path.suffix == ".py" or (path.is_dir() and path.name.isidentifier())


def check_function(path: str, what: str) -> None:
    """Find out without running anything that a function cannot be there.

    Args:
        path: ``package.module:function``.
        what: What was given it, for the error.

    Raises:
        Misuse: There is no such module, or its file has no such name; the message says the nearest one.
    """
    module, _, name = path.partition(":")
    where = f"{what}: {path!r} cannot be found"
    if (places := places_without(module)) is not None:
        said = ", ".join(map(str, places))
        beside = [each.stem for place in places for each in place.glob("*") if importable(each)]
        near = nearest(module.rpartition(".")[2], beside)
        raise Misuse(
            f"{where}: there is no module {module!r} in {said} or among what is installed{near}"
        )
    file = find_module(module)
    names = None if file is None else names_in(file)
    if file is not None and names is not None and name not in names:
        raise Misuse(f"{where}: {file} has no {name!r}{nearest(name, names)}")
