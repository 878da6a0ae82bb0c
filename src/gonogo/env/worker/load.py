"""Finding the environment, inside the worker process: a folder or an import path becomes a :class:`Bundle`.

Loaded by its path from :mod:`gonogo.env.worker.program`, and like it imports nothing of gonogo.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.machinery
import importlib.util
import inspect
import os
import re
import sys
import traceback
import typing
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

if typing.TYPE_CHECKING or __package__:
    from gonogo.env.worker.boundary import Boundary, Unfound
else:
    from worker_boundary import Boundary, Unfound

Json = dict[str, Any]
SHOWN_CHARS = 300
BESIDE_ADAPTERS = tuple(
    f"worker_{name}"
    for name in ("shapes", "openapi", "inspect", "action_fields", "introspection", "asgi")
)
"""The modules that the adapters are made with, each after those that it needs; none of them reads OpenEnv."""
SERVER = Path("openenv", "core", "env_server", "http_server.py")
"""OpenEnv's server, below where its package is."""


class LazyPackage(ModuleType):
    """A package that is read when somebody first uses it, but for its ``themes``, which are read alone.

    ``openenv.core`` imports gradio for a web page that no worker shows, and takes a theme from it: two thirds
    of the time that a worker needs to start. ``importlib.util.LazyLoader`` would read it all for the theme.
    """

    def __getattribute__(self, name: str) -> Any:
        """The theme's module alone; anything else but what the import system asks reads the package first."""
        alone = name.startswith("__") and name not in {"__path__", "__all__"}
        if alone or (name == "__path__" and "reading" in self.__dict__):
            return super().__getattribute__(name)
        if name == "themes":
            self.__dict__["reading"] = True
            try:
                return importlib.import_module(f"{self.__name__}.themes")
            finally:
                del self.__dict__["reading"]
        spec = self.__spec__
        self.__class__ = ModuleType  # type: ignore[assignment]
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module(self)
        return getattr(self, name)


def leave_unread(package: str) -> None:
    """Let a package be imported without being read, where it is installed."""
    spec = importlib.util.find_spec(package)
    if spec is not None and package not in sys.modules:
        sys.modules[package] = module = importlib.util.module_from_spec(spec)
        module.__class__ = LazyPackage


class FolderPackage:
    """Import finder that lets a folder be imported under the names its project gives it.

    Environments say ``from my_env.models import …`` whatever the folder happens to be called, and
    setuptools' ``package-dir`` maps that name to ``.``; nobody has installed the project here.
    """

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self._folder = folder
        self._names = frozenset(names)

    def find_spec(
        self, fullname: str, path: object = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Spec of the folder as a package, or None for every other name."""
        if fullname not in self._names:
            return None
        init = self._folder / "__init__.py"
        if init.is_file():
            return importlib.util.spec_from_file_location(
                fullname, init, submodule_search_locations=[str(self._folder)]
            )
        spec = importlib.machinery.ModuleSpec(fullname, None, is_package=True)
        spec.submodule_search_locations = [str(self._folder)]
        return spec


def open_folder(spec: Json) -> None:
    """Make a folder importable the three ways that are in use: top level, ``src``, by its name.

    A name that the project claims for itself comes before an installed package (which may be an old
    copy of it); the folder's own name only after all (a folder ``chess`` may need the library).
    """
    folder = Path(spec["folder"])
    roots = [folder, *([folder / "src"] if (folder / "src").is_dir() else [])]
    sys.path[:0] = map(str, roots)
    sys.meta_path.insert(0, FolderPackage(folder, spec["packages"]))
    sys.meta_path.append(FolderPackage(folder, spec["aliases"]))
    if any((root / SERVER).is_file() for root in roots):
        forget_openenv()


def forget_openenv() -> None:
    """Let OpenEnv be read again, from the path: a folder that has a copy of its own is served with that one.

    This process may have been forked from one that has read the installed one.
    """
    for name in [each for each in sys.modules if each.partition(".")[0] == "openenv"]:
        del sys.modules[name]


@contextlib.contextmanager
def without_openenv() -> Iterator[None]:
    """A context in which OpenEnv cannot be imported, as where nobody has installed it; it comes back as it was."""
    held = {name: each for name, each in sys.modules.items() if name.partition(".")[0] == "openenv"}
    forget_openenv()
    sys.modules["openenv"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        forget_openenv()
        sys.modules.update(held)


class Bundle(typing.NamedTuple):
    """What is needed to make and drive instances of one environment."""

    factory: Callable[[], Any]
    action: Any
    observation: Any
    state: Any
    concurrent: bool
    reset_observation: Any = None
    handled: tuple[type, ...] = ()  # exceptions that the app has handlers for, over HTTP
    reward: Callable[[], Any] | None = None  # makes an episode's bundles, see worker_reward
    nameless: bool = False  # its episodes have no names: it is not OpenEnv's
    note: str | None = None  # why it is not the first entrance's
    app: Any = None  # the worker's own App, of an app's own routes


class Entrance(typing.NamedTuple):
    """A place where an environment may be: a file of the folder, and what in it.

    Attributes:
        kind: ``app`` or ``class``.
        file: Relative to the folder.
        name: The attribute; empty where the module is to be searched.
    """

    kind: str
    file: str
    name: str


class Left(Exception):
    """Foreign code ended the process while it was read, or while an instance of it was made.

    Args:
        code: What it exited with.
    """

    def __init__(self, code: Any) -> None:
        super().__init__(f"it ends its process by sys.exit({'' if code is None else code!r})")


@contextlib.contextmanager
def staying() -> Iterator[None]:
    """A context in which foreign code that ends the process ends the context and no more.

    Raises:
        Left: It would have.
    """
    try:
        yield
    except SystemExit as end:
        raise Left(end.code) from end


class Unusable(Exception):
    """No entrance led to an environment.

    Args:
        said: Why not the first did not, the one that was declared or is the likeliest.
        cause: What was raised there; None where nothing was.
    """

    def __init__(self, said: str, cause: Exception | None) -> None:
        super().__init__(said)
        self.cause = cause


def load_folder(spec: Json) -> Bundle:
    """The environment of a folder: by the first of its entrances that leads to one.

    What is broken beside OpenEnv, and does not ask for it, is opened without: it may have classes of its own instead.

    Raises:
        Unusable: None does.
    """
    folder, names = Path(spec["folder"]), [*spec["packages"], *spec["aliases"]]
    entrances = [Entrance(*each) for each in spec["entrances"]] or [
        Entrance("app", f"{spec['app'].partition(':')[0].replace('.', '/')}.py", "")
    ]
    first: Unusable | None = None
    ways = (False,) if spec.get("asks_for_openenv", True) else (False, True)
    for entrance, alone in ((each, way) for each in entrances for way in ways):
        with Boundary() as trying, staying():
            bundle = enter(folder, entrance, names, spec.get("hints") or {}, alone=alone)
            there = f"{entrance.file}:{entrance.name}".rstrip(":")
            how = f"{there} is opened {'without OpenEnv, which it does not ask for' if alone else 'instead'}"
            return bundle._replace(note=None if first is None else f"{first}; {how}")
        blamed = isinstance(trying.error, Unfound)
        if first is None or (first.cause is None and not blamed):
            said = f"{entrance.file}: {in_line(trying.error)}"
            first = Unusable(said, None if blamed else trying.error)
        elif trying.error is not None:
            traceback.print_exception(trying.error)
    failed = first or Unusable("there is nothing to be opened", None)
    inner = sorted(each.parent.name for each in folder.glob("*/openenv.yaml"))
    if inner:
        said = f"{failed}; {inner[0]} has an openenv.yaml of its own: give that folder instead"
        failed = Unusable(said, failed.cause)
    raise failed


def in_line(error: Exception | None) -> str:
    """An error on one line; what no environment has raised is said as it is."""
    said = " ".join(str(error).split())[:SHOWN_CHARS]
    return said if isinstance(error, Unfound | Left) else f"{type(error).__name__}: {said}"


def explain(error: Exception | None, spec: Json) -> Json:
    """Why nothing was loaded: in a line, with the module or the variable that is missing, and the line of code.

    Args:
        error: What was raised.
        spec: What was to be loaded.
    """
    cause = (error.cause or error) if isinstance(error, Unusable) else error
    source = cause.__cause__ if isinstance(cause, Left) else cause
    chain: list[BaseException] = []
    each: BaseException | None = cause
    while each is not None and each not in chain:
        chain.append(each)
        each = each.__cause__ or each.__context__
    folder = Path(spec["folder"]) if "folder" in spec else None
    missing = [e.name for e in chain if isinstance(e, ModuleNotFoundError) and e.name]
    foreign = [name for name in missing if not is_own(name, folder, spec)]
    said = str(error) if isinstance(error, Unusable) else in_line(error)
    return {
        "error": said,
        "missing": foreign[-1].partition(".")[0] if foreign else None,
        "variable": next((v for v in map(variable_of, chain) if v), None),
        "place": place_of(source, folder),
        "left": isinstance(cause, Left),
    }


def is_own(name: str, folder: Path | None, spec: Json) -> bool:
    """Whether a module's name is one of the folder's own."""
    top = name.partition(".")[0]
    if folder is None:
        return False
    if top in {*spec.get("packages", ()), *spec.get("aliases", ())}:
        return True
    return any(
        (root / top).is_dir() or (root / f"{top}.py").is_file() for root in (folder, folder / "src")
    )


def variable_of(error: BaseException) -> str | None:
    """The environment variable that was read and is not there; None where that was not it."""
    if not isinstance(error, KeyError) or not error.args:
        return None
    frames = traceback.extract_tb(error.__traceback__)
    read = bool(frames) and Path(frames[-1].filename).name == "os.py"
    return str(error.args[0]) if read or "frozen os" in frames[-1].filename else None


def place_of(error: BaseException | None, folder: Path | None) -> str | None:
    """The innermost line of the folder's code on the way to an error; None where there is none."""
    if error is None:
        return None
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        merged = (error.text or "").startswith(("<<<<<<<", "=======", ">>>>>>>"))
        left = ", the mark of a merge conflict: resolve it" if merged else ""
        return f"{Path(error.filename).name}:{error.lineno}{left}"
    for frame in reversed(frames):
        if folder is not None and Path(frame.filename).is_relative_to(folder):
            return f"{Path(frame.filename).relative_to(folder)}:{frame.lineno}"
    return None


def enter(
    folder: Path, entrance: Entrance, names: Sequence[str], hints: Json, *, alone: bool = False
) -> Bundle:
    """The environment behind an entrance.

    Args:
        folder: The folder.
        entrance: Where in it.
        names: Names under which the folder is a package.
        hints: What the manifest says of actions and tasks.
        alone: Whether its code is read without OpenEnv.

    Raises:
        Unfound: There is none; what its code raises comes through as it is.
    """
    reading = without_openenv if alone else contextlib.nullcontext
    if entrance.kind == "class":
        with reading():
            module = import_file(folder, entrance.file, names)
        return bundle_of_class(getattr(module, entrance.name, None), entrance.name, hints)
    servers: list[Any] = []
    with watched(servers), reading():
        module = import_file(folder, entrance.file, names)
        made = None if servers else make_app(module, entrance.name)
    if servers:
        app = getattr(module, entrance.name or "app", None)
        return bundle_of_server(servers[-1], getattr(app, "exception_handlers", {}))
    return bundle_of_app(made, hints)


@contextlib.contextmanager
def watched(servers: list[Any]) -> Iterator[None]:
    """A context in which every OpenEnv server that is built is noted, and nothing serves.

    ``create_app`` keeps the factory and the classes in closures only, so registering routes is watched. An instance
    in the place of a factory, which older servers took, is taken; a server that is run by the module itself is not.
    """
    from openenv.core.env_server.http_server import HTTPEnvServer

    register, begin = HTTPEnvServer.register_routes, HTTPEnvServer.__init__

    def noted(self: Any, *args: Any, **kwargs: Any) -> Any:
        servers.append(self)
        return register(self, *args, **kwargs)

    def begun(self: Any, env: Any, *args: Any, **kwargs: Any) -> None:
        begin(self, env if callable(env) else lambda: env, *args, **kwargs)

    HTTPEnvServer.register_routes = noted  # type: ignore[method-assign]
    HTTPEnvServer.__init__ = begun  # type: ignore[method-assign]
    uvicorn: Any = None
    with contextlib.suppress(ImportError):
        uvicorn = importlib.import_module("uvicorn")
    run = getattr(uvicorn, "run", None)
    if run is not None:
        uvicorn.run = lambda *_, **__: None
    try:
        yield
    finally:
        HTTPEnvServer.register_routes = register  # type: ignore[method-assign]
        HTTPEnvServer.__init__ = begin  # type: ignore[method-assign]
        if run is not None:
            uvicorn.run = run


def bundle_of_server(server: Any, handlers: Any) -> Bundle:
    """The environment of an OpenEnv server."""
    from openenv.core.env_server.types import State

    factory = server._env_factory

    def make() -> Any:
        from openenv.core.env_server.interfaces import Environment

        made = factory()
        if isinstance(made, Environment):
            return made
        # Its action is the server's to make: the object gets what the server would give it.
        return adapters().ObjectEnvironment(made, lambda action: action)

    return Bundle(
        make,
        server.action_cls,
        server.observation_cls,
        # An older server, as a folder's own copy of OpenEnv may have, has fewer of these.
        getattr(server, "state_cls", State),
        concurrent=bool(getattr(server, "is_concurrency_safe", False)) and not serves_one(server),
        reset_observation=getattr(server, "reset_observation_cls", None),
        # A handler for Exception itself answers 500, as no handler does.
        handled=tuple(key for key in handlers if isinstance(key, type) and key is not Exception),
    )


def serves_one(server: Any) -> bool:
    """Whether a server serves one session at a time and gives each of them the same instance: none flies beside it."""
    factory = server._env_factory
    if inspect.isclass(factory) or getattr(server, "_max_concurrent_envs", 1) > 1:
        return False
    made: list[Any] = []
    with Boundary():
        for _ in range(2):
            made.append(factory())
        if made[0] is made[1]:
            return True
    for each in made:
        with Boundary():
            each.close()
    return False


FACTORIES = ("create_app", "get_app", "make_app", "build_app", "create_application")


def make_app(module: ModuleType, name: str) -> Any:
    """The ASGI app of a module: what it is declared as, any that is there, or what a factory makes.

    Raises:
        Unfound: There is none, or one of another kind, which the message names.
    """
    known = vars(module)
    named = [known[each] for each in (name, "app", "application", "api", "server") if each in known]
    found = [each for each in [*named, *known.values()] if callable(getattr(each, "openapi", None))]
    for each in found:
        if not inspect.isclass(each):
            return each
    for factory in (name, *FACTORIES):
        make = known.get(factory)
        if (
            inspect.isfunction(make)
            and factory != "main"
            and not inspect.signature(make).parameters
        ):
            made = make()
            if callable(getattr(made, "openapi", None)):
                return made
    other = next((each for each in named if callable(each) and not inspect.isfunction(each)), None)
    kind = type(other).__module__.partition(".")[0]
    if other is not None and kind not in {"builtins", "fastapi"}:
        raise Unfound(f"its app is {kind}'s, which cannot be read: FastAPI's can")
    raise Unfound("it builds no app")


def bundle_of_app(app: Any, hints: Json) -> Bundle:
    """The environment behind an app's own routes.

    Raises:
        Unfound: It has no reset or no step.
    """
    plain = adapters()
    document, endpoints = documented(app)
    channel = plain.App(app)
    with contextlib.ExitStack() as undo:
        undo.callback(channel.close)
        surface = plain.Surface(document, channel, endpoints, hints)
        undo.pop_all()
    return Bundle(
        lambda: plain.RouteEnvironment(channel, surface),
        surface.action,
        surface.observation,
        surface.state,
        concurrent=False,
        nameless=True,
        app=channel,
    )


def bundle_of_url(url: str, timeout_s: float, hints: Json) -> Bundle:
    """The environment behind a server's own routes.

    Raises:
        Unfound: It has no reset or no step.
    """
    plain = adapters()
    server = plain.RemoteServer(url, timeout_s)
    status, document = server.ask("GET", "/openapi.json", {}, None)
    if status != 200 or not isinstance(document, dict):
        raise Unfound(f"{url}/openapi.json answers {status}, and no document of its routes")
    surface = plain.Surface(document, server, {}, hints)
    return Bundle(
        lambda: plain.RouteEnvironment(server, surface),
        surface.action,
        surface.observation,
        surface.state,
        concurrent=False,
        nameless=True,
    )


def documented(app: Any, prefix: str = "") -> tuple[Json, dict[tuple[str, str], Any]]:
    """An app's OpenAPI document and functions by method and path, those of apps mounted below it included."""
    document: Json = dict(app.openapi())
    document["paths"] = {prefix + path: item for path, item in document.get("paths", {}).items()}
    endpoints: dict[tuple[str, str], Any] = {}
    for route in app.routes:
        inner = getattr(route, "app", None)
        path = getattr(route, "path", "")
        if callable(getattr(inner, "openapi", None)):
            below, theirs = documented(inner, prefix + path)
            document["paths"] = {**below["paths"], **document["paths"]}
            schemas = below.get("components", {}).get("schemas", {})
            components = document.setdefault("components", {})
            components["schemas"] = {**schemas, **components.get("schemas", {})}
            endpoints |= theirs
        elif callable(getattr(route, "endpoint", None)):
            # The document names a path's parameters without their converters.
            shown = re.sub(r"\{([^}:]+):[^}]*\}", r"{\1}", path)
            for method in getattr(route, "methods", None) or ():
                endpoints[(method, prefix + shown)] = route.endpoint
    return document, endpoints


def bundle_of_class(
    cls: Any, name: str, hints: Json, factory: Callable[[], Any] | None = None
) -> Bundle:
    """The environment that a class is: OpenEnv's, Gymnasium's or any with a reset and a step.

    Args:
        cls: The class.
        name: As it was given.
        hints: What the manifest says of actions and tasks.
        factory: Makes an instance; None where the class does, without arguments.

    Raises:
        Unfound: There is no such class, or it cannot be made without arguments.
    """
    plain = adapters()
    if not inspect.isclass(cls):
        raise Unfound(f"there is no class {name!r}")
    make = factory or cls
    if needed := needed_by(make):
        raise Unfound(
            f"{name} cannot be made without arguments, it takes {', '.join(needed)}: write a function without any that "
            "returns one, and give package.module:function"
        )
    if plain.is_openenv(cls):
        return bundle_of_environment(cls, name)._replace(factory=make)
    if not all(callable(getattr(cls, method, None)) for method in ("reset", "step")):
        raise Unfound(f"{name} has no reset and step")
    if is_gymnasium(cls):
        return bundle_of_spaces(make)
    taken = plain.worker_introspection.taken_by(cls, hints)
    return Bundle(
        lambda: plain.ObjectEnvironment(make(), taken.make),
        taken.form,
        plain.SchemaForm("Observation", {}),
        plain.SchemaForm("State", {}),
        concurrent=False,
        nameless=True,
    )


def needed_by(make: Any) -> list[str]:
    """Names of what a class or a function cannot be called without."""
    try:
        parameters = inspect.signature(make).parameters.values()
    except (TypeError, ValueError):
        return []  # one that is written in C tells nothing
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p.name for p in parameters if p.default is p.empty and p.kind not in several]


def is_gymnasium(cls: Any) -> bool:
    """Whether a class is of Gymnasium's, whose spaces say what its actions are."""
    return any(
        each.__module__.partition(".")[0] in {"gymnasium", "gym"} for each in cls.__mro__[1:]
    )


def bundle_of_spaces(make: Callable[[], Any]) -> Bundle:
    """The environment whose actions and observations are Gymnasium's spaces.

    Args:
        make: Makes an instance.
    """
    plain = adapters()
    first = make()
    taken = plain.worker_introspection.taken_by_space(first.action_space)
    first.close()
    return Bundle(
        lambda: plain.ObjectEnvironment(make(), taken.make),
        taken.form,
        plain.SchemaForm("Observation", {}),
        plain.SchemaForm("State", {}),
        concurrent=True,
        nameless=True,
    )


def bundle_of_id(name: str) -> Bundle:
    """The environment of an id that Gymnasium knows.

    Raises:
        Unfound: Gymnasium is not installed, or knows no such id.
    """
    gymnasium = importlib.import_module("gymnasium")
    try:
        gymnasium.spec(name)
    except gymnasium.error.Error as error:
        raise Unfound(f"Gymnasium: {error}") from None
    return bundle_of_spaces(lambda: gymnasium.make(name))


def folder_of_id(name: str) -> str:
    """The folder of the module whose class an id of Gymnasium is; the null device where it cannot be told."""
    entry = importlib.import_module("gymnasium").spec(name).entry_point
    module = entry.partition(":")[0] if isinstance(entry, str) else getattr(entry, "__module__", "")
    file = getattr(importlib.import_module(module), "__file__", None) if module else None
    return os.path.dirname(file) if file else os.devnull


def adapters() -> Any:
    """The module of the adapters, read when somebody needs them: it reads OpenEnv."""
    if __package__:
        return importlib.import_module(f"{__package__}.plain")
    program: Any = sys.modules["__main__"]
    for name in BESIDE_ADAPTERS:
        program.sibling(name)
    return program.sibling("worker_plain")


def import_file(folder: Path, file: str, names: Sequence[str]) -> ModuleType:
    """Import a file of the folder, by each name that it may have: from the folder, or from one below it.

    Raises:
        ImportError: It has been found by no name; the error is that of the first.
    """
    *parents, last = Path(file).with_suffix("").parts
    parts = [*parents, last] if last != "__init__" else parents
    first: Exception | None = None
    for depth in range(len(parts)):
        if not all(part.isidentifier() for part in parts[depth:]):
            continue
        root, name = folder.joinpath(*parts[:depth]), ".".join(parts[depth:])
        before, path = set(sys.modules), list(sys.path)
        if depth:
            sys.path.insert(0, str(root))
        with Boundary() as importing:
            return import_app_module(name, names if not depth else (root.name,))
        first = first or importing.error
        # Where a package without __init__.py lies is asked of the one above it, which has to be there still.
        new = set(sys.modules) - before
        for each in [name for name in new if is_below(sys.modules[name], folder)]:
            del sys.modules[each]
        sys.path[:] = path
        # What the package around it raises, by what its __init__.py reads, it may do without.
        if not isinstance(importing.error, ImportError) and ran(folder / file, importing.error):
            break
    raise first or ImportError(f"{file} has no name that can be imported")


def ran(file: Path, error: BaseException | None) -> bool:
    """Whether a file was being read when something was raised."""
    frames = traceback.walk_tb(None if error is None else error.__traceback__)
    return any(Path(frame.f_code.co_filename) == file for frame, _ in frames)


def is_below(module: ModuleType, folder: Path) -> bool:
    """Whether a module is of the folder."""
    places = [getattr(module, "__file__", None), *getattr(module, "__path__", [])]
    return any(place and Path(place).is_relative_to(folder) for place in places)


def import_app_module(module: str, names: Sequence[str]) -> ModuleType:
    """Import as uvicorn would; a module with parent-relative imports only, inside its package."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        if "relative import" not in str(error) or not names:
            raise
        return importlib.import_module(f"{names[0]}.{module}")


def load_class(path: str) -> Bundle:
    """Import ``package.module:EnvironmentClass``, or a function that makes one; annotations say what it takes.

    Raises:
        Unfound: No such attribute, no environment, or its models cannot be told.
    """
    module, _, name = path.partition(":")
    cls: Any = getattr(importlib.import_module(module), name, None)
    if cls is None:
        raise Unfound(f"module {module!r} has no attribute {name!r}")
    if inspect.isfunction(cls) and not needed_by(cls):
        return bundle_of_class(type(cls()), path, {}, cls)
    return bundle_of_class(cls, path, {})


def bundle_of_environment(cls: Any, path: str) -> Bundle:
    """The environment that a class of OpenEnv's is, with the models of its annotations.

    Raises:
        Unfound: Its models cannot be told.
    """
    from openenv.core.env_server.types import Action, Observation, State

    found: dict[Any, Any] = {Action: None, Observation: None, State: None}
    for candidate in annotated_classes(cls):
        for base, known in found.items():
            if known is None and inspect.isclass(candidate) and issubclass(candidate, base):
                found[base] = candidate
    if found[Action] is None or found[Observation] is None:
        raise Unfound(
            f"{path!r} does not say its models: annotate step(self, action: MyAction) -> "
            "MyObservation or inherit from Environment[MyAction, MyObservation, MyState]"
        )
    concurrent = bool(getattr(cls, "SUPPORTS_CONCURRENT_SESSIONS", False))
    return Bundle(cls, found[Action], found[Observation], found[State] or State, concurrent)


def annotated_classes(cls: Any) -> Iterator[Any]:
    """Classes that an Environment class names: generic arguments, then annotations."""
    for base in cls.__mro__:
        for generic in getattr(base, "__orig_bases__", ()):
            yield from typing.get_args(generic)
    for member in (cls.step, cls.reset, getattr(cls.state, "fget", None)):
        if member is not None:
            with contextlib.suppress(NameError):
                yield from typing.get_type_hints(member).values()
