"""Where in a folder an environment may be: what its manifest declares, the usual places, and what its code looks like.

Nothing is run for it: manifests and Python files are read as texts. Published folders declare their app as
``module:attribute``, as a file, below another name, or not at all; what is declared comes first, and whoever opens the
folder tries the rest in their order.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from gonogo.folder import below, read_bytes, read_text, read_toml, walk
from gonogo.wire import Manifest, WireObject

MOST_BYTES = 1_000_000
MOST_FILES = 600
MOST_ENTRANCES = 12
SKIPPED = frozenset(
    {
        "node_modules",
        "build",
        "dist",
        "venv",
        "site-packages",
        "tests",
        "test",
        "docs",
        "examples",
        "__pycache__",
    }
)
USUAL = tuple(
    f"{name}.py"
    for name in ("server/app", "app", "main", "api", "server", "server/main", "api/app", "app/main")
)
"""Files in which an app usually is, by their end, in the order in which they are tried."""
LAYOUT = USUAL[0]
"""Where OpenEnv's own layout has the app."""
CLIENT = "client.py"
"""A file whose classes play an environment that runs elsewhere, unless nothing else is there."""
BUILDS_OPENENV = frozenset(
    {"create_app", "create_fastapi_app", "create_web_interface_app", "HTTPEnvServer"}
)
FASTAPI, ROUTER = "FastAPI", "APIRouter"
OTHERS = ("Flask", "Starlette", "Sanic", "Quart", "Bottle")
"""Kinds of apps whose routes have no schemas; each is also the name of the class that makes one."""
DECLARES = re.compile(r"(app|entry_?point|module|server|environment|env|class|api)", re.IGNORECASE)
"""What the name of a manifest's field holds that may say where the environment is."""
NO_ENVIRONMENT = re.compile(r"(client|test|mock|wrapper|agent|policy)", re.IGNORECASE)
PLACE = re.compile(r"[\w./-]+(:[A-Za-z_]\w*)?")

EntranceKind = Literal["app", "class"]


@dataclass(frozen=True, slots=True)
class EntrancePlace:
    """A place where an environment may be.

    Attributes:
        kind: An app that serves it, or its class.
        file: Relative to the folder.
        name: What in the file; empty where that is to be found.
    """

    kind: EntranceKind
    file: str
    name: str

    @property
    def module(self) -> str:
        """As ``module:attribute``, for a reader."""
        dotted = self.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        return f"{dotted}:{self.name or 'app'}"


@dataclass(frozen=True, slots=True)
class SeenFile:
    """What a file's text shows.

    Attributes:
        openenv: Whether it builds a server of OpenEnv's.
        builds: Whether it builds another app.
        serves: Whether it has routes for a reset and a step, which may be another file's app's.
        other: The kind of app that it builds where nobody can read that; None where it does not.
        classes: Names of its classes with a reset and a step.
    """

    openenv: bool
    builds: bool
    serves: bool
    other: str | None
    classes: tuple[str, ...]


def find_places(folder: Path, manifest: Manifest) -> tuple[tuple[EntrancePlace, ...], str | None]:
    """Where an environment may be, the likeliest first; and a kind of app that is there and cannot be read.

    Args:
        folder: The folder.
        manifest: Its manifest; empty where it has none that can be read.
    """
    declared = list(dict.fromkeys(declared_places(folder, manifest)))
    seen = look(folder)
    served = any(each.serves for each in seen.values())
    likely = {file for file, each in seen.items() if each.openenv or (each.builds and served)}
    apps = [each for each in declared if each.kind == "app"]
    classes = [each for each in declared if each.kind == "class"]
    # Where the declared app can be seen to serve an environment, any other is another program.
    if not any((here := seen.get(each.file)) and (here.openenv or here.serves) for each in apps):
        apps += [EntrancePlace("app", f, "") for f in sorted(likely, key=lambda f: order(f, seen))]
        # What is laid out as OpenEnv's may build its app in a way that is not seen.
        if (folder / LAYOUT).is_file() and not (LAYOUT in seen and seen[LAYOUT].other):
            apps.append(EntrancePlace("app", LAYOUT, ""))
    have = [file for file in seen if seen[file].classes]
    others = [file for file in have if PurePosixPath(file).name != CLIENT]
    for file in sorted(others if apps or others else have, key=lambda f: (f.count("/"), f)):
        names = sorted(seen[file].classes, key=lambda n: not re.search(r"env", n, re.IGNORECASE))
        classes += [EntrancePlace("class", file, name) for name in names]
    # A declared app that builds nothing which can be seen is tried, and yet not before a class that was declared.
    apps.sort(key=lambda each: each.file not in likely and bool(likely or classes))
    found: dict[tuple[str, str], EntrancePlace] = {}
    for each in [
        *[a for a in apps if a.file in likely],
        *classes,
        *[a for a in apps if a.file not in likely],
    ]:
        found.setdefault(
            (each.kind, each.file if each.kind == "app" else f"{each.file}:{each.name}"), each
        )
    other = next((each.other for each in seen.values() if each.other), None)
    return tuple(of_one_project(folder, manifest, list(found.values())))[:MOST_ENTRANCES], other


def of_one_project(
    folder: Path, manifest: Manifest, places: Sequence[EntrancePlace]
) -> list[EntrancePlace]:
    """The places without those in a folder that has a manifest of its own, where the likeliest is in another one.

    Args:
        folder: The folder.
        manifest: Its manifest; empty where it has none.
        places: The likeliest first.
    """
    homes = [home_of(folder, each.file) for each in places]
    if not homes or not (homes[0] or manifest):
        return list(places)
    own = {homes[0], ""}
    return [each for each, home in zip(places, homes, strict=True) if home in own]


def home_of(folder: Path, file: str) -> str:
    """The innermost folder around a file, below the whole, that has a manifest; empty where none has."""
    above = [str(each) for each in PurePosixPath(file).parents if each.name]
    return next((each for each in above if (folder / each / "openenv.yaml").is_file()), "")


def order(file: str, seen: dict[str, SeenFile]) -> tuple[bool, bool, int, int, str]:
    """OpenEnv's first; then those with the routes themselves; then the usual places, the outermost first."""
    usual = next(
        (n for n, end in enumerate(USUAL) if file == end or file.endswith(f"/{end}")), len(USUAL)
    )
    return not seen[file].openenv, not seen[file].serves, usual, file.count("/"), file


def declared_places(folder: Path, manifest: Manifest) -> Iterator[EntrancePlace]:
    """Places that the manifest or ``pyproject.toml`` declares, and whose file is there."""
    for text in declared_texts(manifest, 0):
        yield from place_of(folder, text)
    given = manifest.get("environment")
    if isinstance(given, dict):
        module, name = given.get("module"), given.get("class")
        if isinstance(module, str) and isinstance(name, str):
            yield from place_of(folder, f"{module}:{name.rpartition('.')[2]}")
    try:
        project: Any = read_toml(folder / "pyproject.toml")
    except OSError:
        return
    tool = project.get("tool")
    told = tool.get("openenv") if isinstance(tool, dict) else None
    if isinstance(told, dict):
        for text in declared_texts(told, 0):
            yield from place_of(folder, text)


def declared_texts(value: object, depth: int) -> Iterator[str]:
    """Texts of a manifest that may name a place; ``app`` comes first."""
    if not isinstance(value, dict) or depth > 2:
        return
    for name in sorted(value, key=lambda each: each != "app"):
        inner = value[name]
        if isinstance(inner, str) and DECLARES.search(str(name)) and PLACE.fullmatch(inner):
            yield inner
        elif (isinstance(inner, dict) and DECLARES.search(str(name))) or name == "deployment":
            yield from declared_texts(inner, depth + 1)


def place_of(folder: Path, text: str) -> Iterator[EntrancePlace]:
    """The place that ``module:name``, ``module.Name`` or a file's name means; none where no such file is there."""
    where, _, name = text.partition(":")
    for each, rest in ((where, name), (where.rpartition(".")[0], name or where.rpartition(".")[2])):
        for root in ("", "src/"):
            base = each if each.endswith(".py") else each.replace(".", "/")
            stem = root + base.removeprefix("./").removesuffix(".py").strip("/")
            if not stem.strip("/") or ".." in stem:
                continue
            for file in (f"{stem}.py", f"{stem}/__init__.py"):
                if (folder / file).is_file():
                    yield EntrancePlace("class" if rest[:1].isupper() else "app", file, rest)
                    return


def look(folder: Path) -> dict[str, SeenFile]:
    """What the Python files of a folder show, by their names."""
    found = {}
    files = [path for path in walk(folder, passed_over).files if path.suffix == ".py"]
    for path in sorted(files, key=lambda each: (len(each.parts), str(each)))[:MOST_FILES]:
        try:
            content = read_bytes(path, folder, MOST_BYTES)
        except OSError:
            continue
        each = SEEN.seen_as(content)
        if each is not None:
            found[below(path, folder)] = each
    return found


class SeenFiles:
    """What files show, by a digest of what is in them: the contents themselves are a stranger's, and may be large.

    Each content is parsed once: an audit resolves its target many times, and other files of the same name, size and
    time may lie there by then.

    Attributes:
        parsed: How many contents were.
    """

    def __init__(self) -> None:
        self._known: dict[bytes, SeenFile | None] = {}
        self.parsed = 0

    def seen_as(self, content: bytes) -> SeenFile | None:
        """What a file of this content shows; None where that is nothing, or it is no Python."""
        digest = hashlib.sha256(content).digest()
        if digest not in self._known:
            if len(self._known) >= MOST_FILES:
                self._known.clear()
            self._known[digest] = parsed(content)
            self.parsed += 1
        return self._known[digest]


SEEN = SeenFiles()


def parsed(content: bytes) -> SeenFile | None:
    """What a file of this content shows; None where that is nothing, or it is no Python."""
    try:
        each = seen_in(ast.parse(content.decode("utf-8")))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    shows = each.openenv or each.builds or each.serves or each.other or each.classes
    return each if shows else None


def unread(folder: Path) -> str | None:
    """Why the first of the usual files that is there cannot be read as Python; None where it can, or none is there."""
    for name in USUAL:
        path = folder / name
        if not path.exists():
            continue
        try:
            ast.parse(read_text(path, folder, MOST_BYTES))
        except SyntaxError as error:
            return f"{name}:{error.lineno}: {error.msg}"
        except (OSError, ValueError) as error:
            why = " ".join(str(error).removeprefix(f"{path}: ").split())
            mend = "; copy the file that it names into the folder" if path.is_symlink() else ""
            return f"{name} cannot be read: {why}{mend}"
    return None


def passed_over(name: str) -> bool:
    """Whether a file or folder is no part of an environment."""
    return name.startswith((".", "test_")) or name in SKIPPED or name.endswith(".egg-info")


def seen_in(tree: ast.Module) -> SeenFile:
    """What a file's tree shows."""
    called, routes, classes = set(), set(), []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called.add(
                node.func.attr
                if isinstance(node.func, ast.Attribute)
                else getattr(node.func, "id", "")
            )
            texts = [each.value for each in node.args if isinstance(each, ast.Constant)]
            routes |= {
                each.rstrip("/").rpartition("/")[2]
                for each in texts
                if isinstance(each, str) and "/" in each
            }
        elif isinstance(node, ast.ClassDef) and is_environment(node):
            classes.append(node.name)
    serves = {"reset", "step"} <= routes or ("step" in {r.partition("{")[0] for r in routes})
    other = next((name for name in OTHERS if name in called), None)
    serves &= bool(called & {FASTAPI, ROUTER})
    return SeenFile(bool(called & BUILDS_OPENENV), FASTAPI in called, serves, other, tuple(classes))


def is_environment(node: ast.ClassDef) -> bool:
    """Whether a class has a reset and a step, and its name is not that of something around an environment."""
    methods = {
        each.name for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    bases = {ast.unparse(each) for each in node.bases}
    abstract = bool(bases & {"ABC", "Protocol", "abc.ABC", "typing.Protocol"})
    return {"reset", "step"} <= methods and not NO_ENVIRONMENT.search(node.name) and not abstract


def hints_of(manifest: Manifest) -> WireObject:
    """What the manifest says where the code does not: the action's schema, tasks as they are listed, endpoints."""
    hints: WireObject = {}
    if isinstance(manifest.get("endpoints"), dict):
        hints["endpoints"] = manifest["endpoints"]
    tasks = manifest.get("tasks")
    if isinstance(tasks, list):
        hints["tasks"] = tasks
    for name in ("action_space", "action_schema", "action"):
        told = manifest.get(name)
        schema = action_schema(told) if isinstance(told, dict) else None
        if schema is not None:
            return {**hints, "action": schema}
    return hints


TYPES = {
    "str": "string",
    "string": "string",
    "text": "string",
    "int": "integer",
    "integer": "integer",
    "float": "number",
    "number": "number",
    "bool": "boolean",
    "boolean": "boolean",
}


def action_schema(told: Manifest) -> WireObject | None:
    """A manifest's action as a JSON schema: one as it is, or fields by name with their types; None of all else."""
    schema = told.get("schema", told)
    if isinstance(schema, dict) and isinstance(schema.get("properties"), dict):
        return {key: schema[key] for key in ("type", "properties", "required") if key in schema}
    fields = told.get("fields")
    if not isinstance(fields, dict) or not fields:
        return None
    properties: WireObject = {}
    for name, kind in fields.items():
        if isinstance(kind, dict):
            kind = kind.get("type")
        if isinstance(kind, list):
            properties[name] = {"enum": kind}
        else:
            properties[name] = {"type": TYPES[kind]} if kind in TYPES else {}
    return {"type": "object", "properties": properties}
