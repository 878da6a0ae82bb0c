"""What a target may be: a folder, an import path (module:Class) or a running server's URL; and its source's hash.

Resolving reads the manifest and runs no foreign code. A git URL is cloned and is a folder then, a Space is its server's
URL, ``gym:ID`` is Gymnasium's. Anything else is refused with the rule that it broke. The hash says whether a record is
about the same environment.
Nothing is imported for it: a module is looked for where an import would look, and read as a file.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from gonogo.env.addresses import cloned, is_repository, space_url, token_of
from gonogo.env.entrances import EntrancePlace, find_places, passed_over, unread
from gonogo.errors import Misuse, TargetError
from gonogo.folder import read_bytes, read_toml, read_yaml, walk
from gonogo.nearest import closest, names_in, nearest
from gonogo.records.provenance import source_hash
from gonogo.wire import Manifest

IMPORT_PATH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")

CALLED = re.compile(r"(?<![\w./])([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+):[A-Za-z_]\w*")
"""A module and what in it is served or run, as ``uvicorn`` and a project's scripts name it."""

GYM = re.compile(r"gym(?:nasium)?:((?:[\w.-]+/)?[\w.:-]+)")

SHOWN_CHARS = 160

LANGUAGES = {
    ".js": "JavaScript", ".mjs": "JavaScript", ".ts": "TypeScript", ".go": "Go", ".rs": "Rust", ".java": "Java",
    ".cs": "C#", ".rb": "Ruby", ".php": "PHP",
}  # fmt: skip
"""Suffixes of code that gonogo does not read."""
SCHEMES = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}


@dataclass(frozen=True, slots=True)
class References:
    """Reference policies that an environment ships, as its manifest declares them.

    Attributes:
        script: The script, relative to the folder.
        names: The names that the script takes.
        teacher: The one to imitate, or None.
    """

    script: str
    names: tuple[str, ...]
    teacher: str | None = None


@dataclass(frozen=True, slots=True)
class FolderTarget:
    """An environment's package folder.

    Attributes:
        name: As the manifest says it.
        folder: Absolute path.
        app: ``module:attribute`` of the likeliest place, relative to the folder.
        packages: Names under which the folder is a package: what its ``pyproject.toml`` maps to it.
        aliases: Names to try where nothing else has them: the folder's own, the manifest's.
        references: The reference policies it ships, or None.
        manifest: ``openenv.yaml``, parsed; empty where there is none that can be read.
        places: Where the environment may be, in the order in which they are tried; of none, ``app`` is one.
        other: A kind of app that it has and that cannot be read, or None.
        warning: What is wrong with the manifest, in a line; None where nothing is.
        undriven: Why the oracle that the manifest names is no reference, in a line; None where it names none.
    """

    name: str
    folder: Path
    app: str
    packages: tuple[str, ...]
    aliases: tuple[str, ...]
    references: References | None = None
    manifest: Manifest = field(default_factory=dict)
    places: tuple[EntrancePlace, ...] = ()
    other: str | None = None
    warning: str | None = None
    undriven: str | None = None

    def __str__(self) -> str:
        return str(self.folder)


@dataclass(frozen=True, slots=True)
class ImportTarget:
    """A class that this interpreter can import, ``package.module:Class``, or an id that Gymnasium knows.

    Attributes:
        name: The class's, or the id.
        path: The import path; ``gymnasium:ID`` of an id.
        references: None: it ships none.
        is_id: Whether it is Gymnasium's id.
    """

    name: str
    path: str
    references: References | None = None
    is_id: bool = False

    def __str__(self) -> str:
        return self.path


@dataclass(frozen=True, slots=True)
class UrlTarget:
    """A running OpenEnv server.

    Attributes:
        name: Host and port.
        http: Base URL for ``/schema``, without a trailing slash.
        socket: URL of the WebSocket.
        references: None: it ships none.
    """

    name: str
    http: str
    socket: str
    references: References | None = None

    def __str__(self) -> str:
        return self.http


def token_for(target: UrlTarget) -> str | None:
    """The token for a server; None where it needs none that is known."""
    return token_of(urlsplit(target.http).hostname)


Target = FolderTarget | ImportTarget | UrlTarget


@dataclass(frozen=True, slots=True)
class RewardFile:
    """A reward that pays instead of the environment's own; see :mod:`gonogo.env.worker.reward`.

    Attributes:
        file: Python file that defines ``make_reward``.
        ablate: Whether episodes are also scored without each guard, as tests do.
    """

    file: Path
    ablate: bool = False


def resolve(text: str) -> Target:
    """Say what a target is.

    Args:
        text: A folder, ``package.module:EnvironmentClass``, an ``http(s)``/``ws(s)`` URL, a Space's name or page, a git
            URL, or ``gym:ID``.

    Raises:
        TargetError: It is none of them, or the folder is no environment.
    """
    if (space := space_url(text)) is not None:
        return resolve_url(space)
    if text.startswith("hf:"):
        raise TargetError(f"{text!r} is no Space: one is hf:owner/name")
    if is_repository(text):
        return resolve_folder(cloned(text))
    if "://" in text:
        return resolve_url(text)
    if (found := GYM.fullmatch(text)) is not None:
        return ImportTarget(found[1], f"gymnasium:{found[1]}", is_id=True)
    path = os.path.expanduser(text)
    if os.path.isdir(path):
        return resolve_folder(Path(path).resolve())
    if IMPORT_PATH.fullmatch(text):
        return ImportTarget(text.rpartition(":")[2], text)
    there = "that is a file" if os.path.exists(path) else "none is there"
    raise TargetError(
        f"{text!r} is no target: give an environment's folder ({there}), an import path "
        "package.module:EnvironmentClass, the URL of a running server (http:// or ws://), a Space (hf:owner/name), "
        f"a git URL or gym:ID{meant(path)}"
    )


def meant(path: str) -> str:
    """Which folder may have been meant: the one that a file lies in, one of a like name beside it or a level below."""
    file = Path(path)
    if file.is_file():
        return f"; did you mean {str(file.parent)!r}?"
    beside = [each for each in (file.parent, *folders_in(file.parent)) if each.is_dir()]
    near = {each.name: each for place in beside for each in folders_in(place) if is_one(each)}
    found = closest(file.name, near)
    return "" if found is None else f"; did you mean {str(near[found])!r}?"


def is_one(folder: Path) -> bool:
    """Whether a folder is laid out as an environment."""
    return (folder / "openenv.yaml").is_file() or (folder / "server" / "app.py").is_file()


def folders_in(place: Path) -> list[Path]:
    """Folders in a folder, without hidden ones."""
    try:
        return sorted(p for p in place.iterdir() if not p.name.startswith(".") and p.is_dir())
    except OSError:
        return []


def resolve_url(text: str) -> UrlTarget:
    """A server's URL, with or without a path before ``/ws``."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise TargetError(f"{text!r} is no URL: {error}") from None
    if parts.scheme not in SCHEMES:
        raise TargetError(
            f"{text!r}: a server's URL begins with http, https, ws or wss, not {parts.scheme!r}; "
            "clone a repository and give its folder"
        )
    if not host or parts.query or parts.fragment or text.endswith(".git"):
        raise TargetError(
            f"{text!r} is not the URL of a running server: scheme://host[:port][/path]"
        )
    base = f"{parts.netloc}{parts.path.rstrip('/').removesuffix('/ws')}"
    socket = SCHEMES[parts.scheme]
    http = "https" if socket == "wss" else "http"
    name = host if port is None else f"{host}:{port}"
    return UrlTarget(name, f"{http}://{base}", f"{socket}://{base}/ws")


def resolve_folder(folder: Path) -> FolderTarget:
    """An environment's folder, from its ``openenv.yaml``, its ``pyproject.toml`` and what its code looks like."""
    manifest, warning = read_manifest(folder)
    places, other = find_places(folder, manifest)
    if not places:
        raise TargetError(nothing_there(folder, manifest, other))
    name = manifest.get("name", folder.name)
    if not isinstance(name, str) or not name:
        name, warning = folder.name, f"openenv.yaml: name must be a text, not {name!r}"
    packages = mapped_packages(folder)
    said = [folder.name, name, *called_in(folder, manifest)]
    aliases = tuple(n for n in dict.fromkeys(said) if n.isidentifier())
    references = read_references(folder, manifest)
    return FolderTarget(
        name,
        folder,
        places[0].module,
        packages,
        aliases,
        references,
        manifest,
        places,
        other,
        warning,
        undriven_oracle(manifest, references),
    )


def nothing_there(folder: Path, manifest: Manifest, other: str | None) -> str:
    """Why a folder is no environment's, and what to do, in a line."""
    if other is not None:
        return (
            f"{folder}: its app is {other}'s, and no class with reset and step is there: start its server elsewhere "
            "and give its URL, or give package.module:Class"
        )
    if (why := unread(folder)) is not None:
        return f"{folder} cannot be opened: {why}"
    if (language := other_language(folder)) is not None:
        return f"{folder}: its code is {language}, no file of it is Python: start its server and give its URL"
    app = manifest.get("app", manifest.get("entrypoint"))
    declared = f"openenv.yaml names {app!r}, which is not there; " if isinstance(app, str) else ""
    inside = [each.name for each in folders_in(folder) if is_one(each)]
    meant = f"; did you mean {str(folder / inside[0])!r}?" if inside else ""
    return (
        f"{folder} is no environment: {declared}no Python file in it builds an app with /reset and /step, or has a "
        f"class with reset and step{meant}"
    )


def other_language(folder: Path) -> str | None:
    """The language of a folder without any Python file; None where there is one, or none that is known."""
    suffixes = [path.suffix for path in walk(folder, passed_over).files]
    known = [LANGUAGES[suffix] for suffix in suffixes if suffix in LANGUAGES]
    return Counter(known).most_common(1)[0][0] if known and ".py" not in suffixes else None


def read_manifest(folder: Path) -> tuple[Manifest, str | None]:
    """``openenv.yaml``, and what is wrong with it; empty where it is none, as that of not a few published folders."""
    for path in (folder / "openenv.yaml", folder / "openenv.yml"):
        try:
            manifest = read_yaml(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            why = " ".join(str(error).removeprefix(f"{path}: ").split())
            return {}, f"{path.name} cannot be read, and is left out: {why[:SHOWN_CHARS]}"
        if isinstance(manifest, dict):
            return manifest, None
        kind = "nothing" if manifest is None else type(manifest).__name__
        return {}, f"{path.name} must hold a mapping, not {kind}, and is left out"
    return {}, None


def mapped_packages(folder: Path) -> tuple[str, ...]:
    """Names that setuptools' ``package-dir`` in the folder's ``pyproject.toml`` maps to the folder."""
    try:
        project = read_toml(folder / "pyproject.toml")
        mapped: Any = project.get("tool", {}).get("setuptools", {}).get("package-dir", {})
        names = [name for name, where in mapped.items() if where in {".", "./"}]
    except FileNotFoundError:
        return ()
    except (OSError, AttributeError, TypeError):
        return ()  # a file that says nothing; whoever installs it is told
    return tuple(name for name in names if name.isidentifier())


def called_in(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Names by which a folder's own files call it as a package, as in ``uvicorn my_env.server.app:app``.

    Such a folder is meant to lie below the path under that name, which is that of no folder and no module within it.

    Args:
        folder: The folder.
        manifest: ``openenv.yaml``.
    """
    texts = [str(manifest.get(key) or "") for key in ("app", "entrypoint")]
    for file in (folder / "pyproject.toml", folder / "Dockerfile", folder / "README.md"):
        with contextlib.suppress(OSError):  # whoever needs the file is told
            texts.append(read_bytes(file, folder).decode("utf-8", "replace"))
    for found in CALLED.finditer("\n".join(texts)):
        top, *rest = found[1].split(".")
        within = [root / f"{top}{end}" for root in (folder, folder / "src") for end in ("", ".py")]
        if folder.joinpath(*rest).with_suffix(".py").is_file() and not any(
            each.exists() for each in within
        ):
            yield top


def read_references(folder: Path, manifest: Manifest) -> References | None:
    """``validation.policies`` of the manifest, checked."""
    validation = manifest.get("validation")
    declared = validation.get("policies") if isinstance(validation, dict) else None
    if declared is None:
        return None
    where = f"{folder}/openenv.yaml: validation.policies"
    if not isinstance(declared, dict):
        raise TargetError(f"{where} must be a mapping, not {declared!r}")
    script, names, teacher = (declared.get(key) for key in ("script", "names", "teacher"))
    if not isinstance(script, str) or not (folder / script).is_file():
        raise TargetError(f"{where}.script must be a file in the folder, not {script!r}")
    if not (isinstance(names, list) and names and all(isinstance(n, str) and n for n in names)):
        raise TargetError(f"{where}.names must be a list of names, not {names!r}")
    if teacher is not None and teacher not in names:
        raise TargetError(f"{where}.teacher must be one of {names}, not {teacher!r}")
    return References(script, tuple(names), teacher)


def undriven_oracle(manifest: Manifest, references: References | None) -> str | None:
    """Why OpenEnv's ``validation.capabilities.oracle`` is no reference, in a line; None where none is named.

    Its artifact is a state to inject or a script that OpenEnv's validation executes inside the environment's sandbox
    (``OracleDeclaration`` of ``openenv.validation.manifest``): neither answers observations with actions. A script
    that does is declared under ``validation.policies``, and may be the same file.
    """
    found: Any = manifest
    for key in ("validation", "capabilities", "oracle", "location"):
        found = found.get(key) if isinstance(found, dict) else None
    if not isinstance(found, str) or (references is not None and found == references.script):
        return None
    return (
        f"its oracle {found[:SHOWN_CHARS]!r} runs in OpenEnv's sandbox and answers no observation, so it is no "
        "reference: an audit takes a policy that succeeds by --reference module:function"
    )


def source_of(target: Target) -> str | None:
    """SHA-256 of a target's source: its folder, or its module; None for a server, whose source is elsewhere."""
    if isinstance(target, FolderTarget):
        return source_hash(target.folder)
    if isinstance(target, ImportTarget) and target.is_id:
        return None
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
        beside = [
            each.stem
            for place in places
            for each in place.glob("*")
            if each.suffix == ".py" or (each.is_dir() and each.name.isidentifier())
        ]
        near = nearest(module.rpartition(".")[2], beside)
        raise Misuse(
            f"{where}: there is no module {module!r} in {said} or among what is installed{near}"
        )
    file = find_module(module)
    names = None if file is None else names_in(file)
    if file is not None and names is not None and name not in names:
        raise Misuse(f"{where}: {file} has no {name!r}{nearest(name, names)}")
