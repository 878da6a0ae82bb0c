"""Lines of an environment's own code that it reaches for the first time, measured in the worker process.

Loaded by its path from :mod:`gonogo.env.worker.program`, and like it imports nothing of gonogo. A line is told once, by
the answer to the request in which it was reached, so that what is told is new, and what was reached costs nothing
more: Python 3.12 switches a line's event off (:mod:`sys.monitoring`); before, :func:`sys.settrace` follows a function
as long as some line of it was never reached. Only files of the environment's own folder count, and none that were
installed there.

Which lines could be reached is read from the code: those of ``reset`` and ``step``, and of every function of the
environment whose name they, or those in turn, mention.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FrameType
from typing import Any

INSTALLED = frozenset({"site-packages", "dist-packages", ".venv", "venv", "node_modules"})
"""Folders of what others wrote, wherever they lie."""
MOST_FILES = 400
MOST_BYTES = 1 << 20
ENTRIES = ("step", "reset", "step_async", "reset_async")
STDLIB = os.path.realpath(os.path.dirname(os.__file__)) + os.sep
OWN_FOLDER = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", "..")) + os.sep
"""gonogo's, which may lie below where a user works."""

FrameTracer = Callable[[FrameType, str, Any], Any]


class OwnFiles:
    """Which files are the environment's own.

    Args:
        roots: Its folders, or its one file.

    Attributes:
        name: A path's name below its root; None where the file is not the environment's own.
    """

    def __init__(self, roots: Iterable[str]) -> None:
        self._roots = [os.path.realpath(root) for root in roots]
        self.name: Callable[[str], str | None] = functools.cache(self._name)

    def _name(self, path: str) -> str | None:
        real = os.path.realpath(path)
        if path[:1] == "<" or real.startswith(OWN_FOLDER):
            return None
        for root in self._roots:
            if real == root:
                return os.path.basename(real)
            library = real.startswith(STDLIB) and not root.startswith(STDLIB)
            if real.startswith(os.path.join(root, "")) and not library:
                parts = os.path.relpath(real, root).split(os.sep)
                if INSTALLED.isdisjoint(parts):
                    return "/".join(parts)
        return None


class Coverage:
    """What was reached of one folder's code.

    Args:
        root: The environment's own folder.
    """

    def __init__(self, root: str) -> None:
        self.name = OwnFiles([root]).name
        self._reached: list[str] = []

    def forget(self) -> None:
        """Count every line as never reached."""

    def begin(self) -> None:
        """The environment is going to be asked."""

    def end(self) -> list[str]:
        """The environment has answered: the lines that were reached since then for the first time, as ``file:line``."""
        reached, self._reached = self._reached, []
        return reached

    def followed(self, function: Any) -> Any:
        """What is called in place of a function by which an app answers, in whatever thread that is."""
        return function

    def lines(self, environment: Any) -> list[str]:
        """The lines of what ``reset`` and ``step`` of an environment call; of all its code where that is not told.

        Args:
            environment: An instance.
        """
        codes = [(name, code) for file, name in self._loaded() for code in codes_of(file)]
        by_name: dict[str, list[CodeType]] = {}
        for _, code in codes:
            parts = code.co_qualname.split(".")  # a class is called by its name
            names = {parts[-1], *([parts[-2]] if parts[-1].startswith("__") and parts[1:] else [])}
            for name in sorted(names):
                by_name.setdefault(name, []).append(code)
        entries = {place for entry in ENTRIES for place in places_of(environment, entry)}
        waiting = [
            c for _, c in codes if (os.path.realpath(c.co_filename), c.co_firstlineno) in entries
        ]
        known = {id(code) for code in waiting}
        while waiting:
            for name in names_in(waiting.pop()):
                for code in by_name.get(name, ()):
                    if id(code) not in known:
                        known.add(id(code))
                        waiting.append(code)
        told = [
            (name, code) for name, code in codes if id(code) in known or not entries or not known
        ]
        return list(
            dict.fromkeys(f"{name}:{line}" for name, code in told for line in lines_of(code))
        )

    def _loaded(self) -> list[tuple[str, str]]:
        """The environment's own files that were imported, each with its name."""
        files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
        named = [(file, self.name(file)) for file in sorted(f for f in files if isinstance(f, str))]
        return [(file, name) for file, name in named if name and file.endswith(".py")][:MOST_FILES]


class TracedCoverage(Coverage):
    """By :func:`sys.settrace`, in the thread that answers and in those that begin while it does.

    That slows down whatever is called, also what is not the environment's: of an app, all between a request and the
    route's function. So there the function alone is followed.
    """

    def __init__(self, root: str) -> None:
        super().__init__(root)
        self._by_function = False
        self._known: dict[int, tuple[CodeType, FrameTracer | None]] = {}

    def forget(self) -> None:
        """Follow every function again."""
        self._known.clear()

    def begin(self) -> None:
        """Follow what is called."""
        if not self._by_function:
            self._follow()

    def end(self) -> list[str]:
        """Follow nothing more."""
        if not self._by_function:
            self._leave()
        return super().end()

    def followed(self, function: Any) -> Any:
        """The function, followed; from now on nothing else is."""
        self._by_function = True
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def awaited(*arguments: Any, **named: Any) -> Any:
                with self._following():
                    return await function(*arguments, **named)

            return awaited

        @functools.wraps(function)
        def called(*arguments: Any, **named: Any) -> Any:
            with self._following():
                return function(*arguments, **named)

        return called

    @contextlib.contextmanager
    def _following(self) -> Iterator[None]:
        self._follow()
        try:
            yield
        finally:
            self._leave()

    def _follow(self) -> None:
        threading.settrace(self._called)
        sys.settrace(self._called)

    def _leave(self) -> None:
        sys.settrace(None)
        threading.settrace(None)

    def _called(self, frame: FrameType, event: str, argument: Any) -> FrameTracer | None:
        code = frame.f_code
        if self.name(code.co_filename) is None:
            return None
        known = self._known.get(id(code))
        if known is None:
            known = self._known[id(code)] = (code, self._tracer(code))
        return known[1]

    def _tracer(self, code: CodeType) -> FrameTracer | None:
        """What takes down the lines of a function that are reached."""
        name, unseen, reached = self.name(code.co_filename), set(lines_of(code)), self._add

        def trace(frame: FrameType, event: str, argument: Any) -> Any:
            if event == "line" and frame.f_lineno in unseen:
                unseen.discard(frame.f_lineno)
                reached(f"{name}:{frame.f_lineno}")
                if not unseen:
                    self._known[id(code)] = (code, None)
                    frame.f_trace_lines = False
            return trace

        return trace if unseen else None

    def _add(self, line: str) -> None:
        self._reached.append(line)


class MonitoredCoverage(Coverage):
    """By :mod:`sys.monitoring`.

    Raises:
        ValueError: Another tool of this process measures already.
    """

    def __init__(self, root: str, monitoring: Any) -> None:
        super().__init__(root)
        self._asked, self._disable = False, monitoring.DISABLE
        self._restart = monitoring.restart_events
        monitoring.use_tool_id(monitoring.COVERAGE_ID, "gonogo")
        monitoring.register_callback(monitoring.COVERAGE_ID, monitoring.events.LINE, self._line)
        monitoring.set_events(monitoring.COVERAGE_ID, monitoring.events.LINE)

    def forget(self) -> None:
        """Switch every line's event on again."""
        self._restart()

    def begin(self) -> None:
        """What is reached from now on counts."""
        self._asked = True

    def end(self) -> list[str]:
        """What is reached from now on is not the answer's."""
        self._asked = False
        return super().end()

    def _line(self, code: CodeType, line: int) -> Any:
        name = self.name(code.co_filename)
        if name is None:
            return self._disable
        if not self._asked or code.co_name == "<module>":
            return None
        self._reached.append(f"{name}:{line}")
        return self._disable


def measure(root: str) -> Coverage:
    """Begin to measure an environment's own code, by the cheapest way that this Python has.

    Args:
        root: The environment's own folder.
    """
    monitoring = getattr(sys, "monitoring", None)
    if monitoring is not None and monitoring.get_tool(monitoring.COVERAGE_ID) is None:
        return MonitoredCoverage(root, monitoring)
    return TracedCoverage(root)


def root_of(path: str) -> str:
    """The folder of the outermost package that a module, given by its dotted name, belongs to."""
    top = sys.modules.get(path.partition(".")[0])
    paths = list(getattr(top, "__path__", ()))
    return (
        str(paths[0]) if paths else os.path.dirname(getattr(top, "__file__", None) or os.getcwd())
    )


def places_of(environment: Any, name: str) -> Iterator[tuple[str, int]]:
    """File and first line of a method, in each class of an environment that has one of its own."""
    for cls in type(environment).__mro__:
        function = inspect.unwrap(vars(cls)[name]) if name in vars(cls) else None
        code = getattr(function, "__code__", None)
        if code is not None and "openenv" not in cls.__module__.split("."):
            yield os.path.realpath(code.co_filename), code.co_firstlineno


def codes_of(file: str) -> list[CodeType]:
    """The functions of a file, compiled and not run; none where it cannot be."""
    try:
        if os.path.getsize(file) > MOST_BYTES:
            return []
        with open(file, "rb") as source:
            module = compile(source.read(), file, "exec", dont_inherit=True)
    except (OSError, SyntaxError, ValueError, RecursionError):
        return []
    return [code for code in inner(module) if code.co_flags & inspect.CO_OPTIMIZED]


def inner(code: CodeType) -> Iterator[CodeType]:
    """A code object's, and those of what it defines."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from inner(constant)


def names_in(code: CodeType) -> Iterable[str]:
    """What a function mentions: names, attributes, and the functions that it defines."""
    return [*code.co_names, *(each.co_name for each in inner(code))]


def lines_of(code: CodeType) -> list[int]:
    """The lines of a function at which something is done; its head is none."""
    lines = {line for _, _, line in code.co_lines() if line}
    body = lines - {code.co_firstlineno} or lines
    return sorted(body)
