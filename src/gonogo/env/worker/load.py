"""Finding the environment, inside the worker process: a folder or an import path becomes a :class:`Bundle`.

Loaded by its path from :mod:`gonogo.env.worker.program`, and like it imports nothing of gonogo.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.machinery
import importlib.util
import inspect
import sys
import typing
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

Json = dict[str, Any]


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
    sys.path[:0] = [str(folder), *([str(folder / "src")] if (folder / "src").is_dir() else [])]
    sys.meta_path.insert(0, FolderPackage(folder, spec["packages"]))
    sys.meta_path.append(FolderPackage(folder, spec["aliases"]))


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


def load_app(app: str, names: Sequence[str]) -> Bundle:
    """Import ``module:attribute`` and take the environment from the OpenEnv server it builds.

    ``create_app`` keeps the factory and the classes in closures only, so registering routes is
    watched while the module is imported. Raises LookupError where no server is built.
    """
    from openenv.core.env_server.http_server import HTTPEnvServer

    servers: list[Any] = []
    register = HTTPEnvServer.register_routes

    def watched(self: Any, *args: Any, **kwargs: Any) -> Any:
        servers.append(self)
        return register(self, *args, **kwargs)

    HTTPEnvServer.register_routes = watched  # type: ignore[method-assign]
    try:
        module = import_app_module(app.partition(":")[0], names)
    finally:
        HTTPEnvServer.register_routes = register  # type: ignore[method-assign]
    if not servers:
        raise LookupError(f"importing {app!r} builds no OpenEnv server (no create_app was called)")
    server = servers[-1]
    handlers = getattr(
        getattr(module, app.partition(":")[2] or "app", None), "exception_handlers", {}
    )
    return Bundle(
        server._env_factory,
        server.action_cls,
        server.observation_cls,
        server.state_cls,
        concurrent=bool(server.is_concurrency_safe),
        reset_observation=server.reset_observation_cls,
        # A handler for Exception itself answers 500, as no handler does.
        handled=tuple(key for key in handlers if isinstance(key, type) and key is not Exception),
    )


def import_app_module(module: str, names: Sequence[str]) -> ModuleType:
    """Import as uvicorn would; a module with parent-relative imports only, inside its package."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        if "relative import" not in str(error) or not names:
            raise
        return importlib.import_module(f"{names[0]}.{module}")


def load_class(path: str) -> Bundle:
    """Import ``package.module:EnvironmentClass`` and read the models from its annotations.

    Raises:
        LookupError: No such attribute, not an Environment, or its models cannot be told.
    """
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, Observation, State

    module, _, name = path.partition(":")
    cls: Any = getattr(importlib.import_module(module), name, None)
    if cls is None:
        raise LookupError(f"module {module!r} has no attribute {name!r}")
    if not (inspect.isclass(cls) and issubclass(cls, Environment)):
        raise LookupError(f"{path!r} is no subclass of openenv's Environment")
    found: dict[Any, Any] = {Action: None, Observation: None, State: None}
    for candidate in annotated_classes(cls):
        for base, known in found.items():
            if known is None and inspect.isclass(candidate) and issubclass(candidate, base):
                found[base] = candidate
    if found[Action] is None or found[Observation] is None:
        raise LookupError(
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
