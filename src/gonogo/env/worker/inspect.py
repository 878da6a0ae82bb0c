"""What the worker can tell of an environment beside flying it; runs inside the worker process only.

Loaded by its path from :mod:`gonogo.env.worker.program`, and like it imports nothing of gonogo. It looks
and reports: the reset method's options, the rubric tree, tools, task API, where the code lies, what the
last answer was before it became JSON, and what importing a client brings in. It judges nothing.
"""

from __future__ import annotations

import importlib
import inspect
import linecache
import math
import sys
import sysconfig
import traceback
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

if typing.TYPE_CHECKING or __package__:
    from gonogo.env.worker.boundary import Boundary
else:
    from worker_boundary import Boundary

Json = dict[str, Any]
Wait = Callable[[Any], Any]

PREVIEW = 64
SHOWN_CHARS = 200
NO_SUCH_SPLIT = "no-such-split"
GIVEN = {"builtins", "abc", "typing", "openenv", "openenv_core"}
"""Packages whose classes an environment may stand on without their being its own."""
LIBRARIES = [Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")]
BASE_TASK_ERRORS = {"IndexError": 400, "NotImplementedError": 501}


def describe(env: Any, bundle: Any, wait: Wait) -> Json:
    """Everything at once; what raises is left at None and named in ``problems``.

    Args:
        env: An instance that flies nothing else.
        bundle: The worker's bundle: models, and the exception classes that the app answers.
        wait: Turns what a method returned into its value, awaiting it where it must be.
    """
    parts: dict[str, Callable[[], Any]] = {
        "metadata": lambda: plain(env.get_metadata()),
        "reset_observation": lambda: reset_schema(bundle),
        "tools": lambda: list(tools(env, bundle, wait)),
        "task_api": lambda: task_api(env, bundle.handled, wait),
        "reset": lambda: reset_signature(env),
        "rubric": lambda: rubric_tree(getattr(env, "rubric", None)),
        "code": lambda: code(env, bundle),
    }
    out: Json = {"problems": {}}
    for name, part in parts.items():
        with Boundary() as asked:
            out[name] = part()
        if asked.error is not None:
            out[name] = [] if name == "tools" else None
            out["problems"][name] = in_words(asked.error)
    return out


def in_words(error: Exception | None) -> str:
    """An error on one line."""
    return f"{type(error).__name__}: {error}"[:SHOWN_CHARS]


def plain(value: Any) -> Any:
    """A value as JSON; what has no JSON form as its text."""
    return to_jsonable_python(value, serialize_unknown=True, inf_nan_mode="constants")


def reset_schema(bundle: Any) -> Json | None:
    """Schema of a reset's observation, where the server declares one of its own."""
    if bundle.reset_observation in {None, bundle.observation}:
        return None
    schema: Json = bundle.reset_observation.model_json_schema()
    return schema


def reset_signature(env: Any) -> Json:
    """Parameters of the reset that a session calls: name, JSON schema, default, required."""
    if (told := getattr(env, "reset_signature", None)) is not None:  # an adapter's
        signature: Json = told()
        return signature
    from openenv.core.env_server.interfaces import Environment

    method = env.reset_async
    if getattr(method, "__func__", None) is Environment.reset_async:
        method = env.reset
    try:
        hints = typing.get_type_hints(method)
    except (NameError, TypeError, AttributeError):
        hints = {}
    parameters, is_open = [], False
    for name, parameter in inspect.signature(method).parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            is_open = True
        elif parameter.kind is not inspect.Parameter.VAR_POSITIONAL:
            required = parameter.default is inspect.Parameter.empty
            default = None if required else plain(parameter.default)
            schema = schema_of(hints.get(name))
            parameters.append(
                {"name": name, "schema": schema, "default": default, "required": required}
            )
    return {"parameters": parameters, "open": is_open}


def schema_of(hint: Any) -> Json:
    """The JSON schema of an annotation; empty where there is none or it has none."""
    # Any type may stand there, and pydantic has many errors for them.
    with Boundary():
        return {} if hint is None else TypeAdapter(hint).json_schema()
    return {}


def rubric_tree(rubric: Any, name: str = "", weight: float | None = None) -> Json:
    """The rubrics by name, with weights where the parent sums by weight; empty where there are none."""
    if rubric is None:
        return {}
    children = list(rubric.named_children())
    weights = getattr(rubric, "weights", None)
    if not isinstance(weights, list) or len(weights) != len(children):
        weights = [None] * len(children)
    return {
        "name": name,
        "class": type(rubric).__name__,
        "weight": weight,
        **location(type(rubric)),
        "children": [
            rubric_tree(child, child_name, share)
            for (child_name, child), share in zip(children, weights, strict=True)
        ],
    }


def tools(env: Any, bundle: Any, wait: Wait) -> Iterator[Json]:
    """Tools of an MCP environment, and of one that answers MCP's actions by itself."""
    from openenv.core.env_server.mcp_environment import get_server_tools
    from openenv.core.env_server.mcp_types import CallToolAction, ListToolsAction

    server = getattr(env, "mcp_server", None)
    if server is not None:
        for name, tool in get_server_tools(server).items():
            schema = getattr(tool, "parameters", None) or getattr(tool, "inputSchema", None)
            yield {"name": name, "description": tool.description, "input_schema": plain(schema)}
    elif bundle.action in {CallToolAction, ListToolsAction}:
        for tool in wait(env.step(ListToolsAction())).tools:
            yield plain(tool)


def task_api(env: Any, handled: Sequence[type], wait: Wait) -> Json | None:
    """The task API's answers: splits with counts and previews, and how it refuses what does not exist."""
    if not callable(getattr(env, "list_splits", None)):
        return None

    def ask(method: str, *arguments: Any) -> Any:
        return plain(wait(getattr(env, method)(*arguments)))

    splits = []
    for said in ask("list_splits"):
        split = dict(said) if isinstance(said, Mapping) else {"name": str(said)}
        name = split["name"]
        split["num_tasks"] = attempt(ask, "num_tasks", name)
        split["preview"] = attempt(preview, env, name, ask) or []
        splits.append(split)
    answers = {
        "unknown_split": answer(lambda: ask("num_tasks", NO_SUCH_SPLIT), handled),
    }
    if splits:
        first = splits[0]["name"]
        answers["negative_index"] = answer(lambda: ask("get_task", first, -1), handled)
    return {"splits": splits, "answers": answers}


def preview(env: Any, split: str, ask: Callable[..., Any]) -> list[Any]:
    """The first tasks of a split."""
    if callable(getattr(env, "get_task_range", None)):
        return list(ask("get_task_range", split, 0, PREVIEW))
    return list(ask("list_tasks", split))[:PREVIEW]


def attempt(question: Callable[..., Any], *arguments: Any) -> Any:
    """The answer, or None where it raised; an environment need not offer every method."""
    with Boundary():
        return question(*arguments)
    return None


def answer(question: Callable[[], Any], handled: Sequence[type]) -> Json:
    """What OpenEnv's HTTP route would answer: the status, and what is said.

    Args:
        question: Asks the environment.
        handled: Exception classes that the app has handlers for.
    """
    with Boundary() as asked:
        return {"status": 200, "said": question()}
    names = [cls.__name__ for cls in type(asked.error).__mro__]
    status = next((BASE_TASK_ERRORS[name] for name in names if name in BASE_TASK_ERRORS), 500)
    if isinstance(asked.error, tuple(handled)):
        status = int(getattr(asked.error, "status_code", 400))
    return {"status": status, "said": in_words(asked.error)}


def code(env: Any, bundle: Any) -> Json | None:
    """Where the code lies that answers, by role; the environment's with its own classes, the nearest first."""
    if getattr(env, "nameless", False) is True:  # an adapter
        told: Json | None = env.code()
        return told
    cls = type(env)
    roles = {
        "environment": cls,
        "reset": cls.reset,
        "step": cls.step,
        "action": bundle.action,
        "observation": bundle.observation,
    }
    places = {role: {"name": thing.__name__, **location(thing)} for role, thing in roles.items()}
    places["environment"]["bases"] = [base.__name__ for base in openenv_bases(cls)]
    places["environment"]["classes"] = [
        {"name": each.__name__, **location(each)}
        for each in cls.__mro__
        if each.__module__.partition(".")[0] not in GIVEN
    ]
    return places


def openenv_bases(cls: type) -> list[type]:
    """Which of OpenEnv's base classes a class has, the nearest first."""
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.mcp_environment import MCPEnvironment

    return [base for base in cls.__mro__[1:] if base in {Environment, MCPEnvironment}]


def location(thing: Any) -> Json:
    """File and line of a class or function; None where Python does not know."""
    try:
        thing = inspect.unwrap(thing)
        # getsourcelines would read on to the end, which nobody asks for.
        return {"file": inspect.getsourcefile(thing), "line": inspect.findsource(thing)[1] + 1}
    except (OSError, TypeError, ValueError):
        return {"file": None, "line": None}


def raw(last: Any, fitted: bool) -> Json:
    """What JSON does not show of the last answer: an observation, or what was raised instead.

    Args:
        last: It.
        fitted: Whether the action fitted its model, so that a validation that failed was not the action's.
    """
    if isinstance(last, ValidationError) and not fitted:
        return {"refused": "invalid", "errors": sorted({e["type"] for e in last.errors()})}
    if isinstance(last, BaseException):
        if isinstance(getattr(last, "errors", None), list):  # an app's own validation
            return {"refused": "invalid", "errors": ["invalid"]}
        place = told_place(last) or place_of(last)
        return {"refused": "raised", "errors": [place["type"]], "raised": place}
    reward = getattr(last, "reward", None)
    finite = not isinstance(reward, int | float) or is_finite(reward)
    observed = last.model_dump() if hasattr(last, "model_dump") else {}
    observed.pop("reward", None)
    return {
        "refused": None,
        "errors": [],
        "reward": {
            "type": "null" if reward is None else type(reward).__name__,
            "shown": shown(reward)[:SHOWN_CHARS],
            "numeric": isinstance(reward, int | float) and not isinstance(reward, bool),
            "finite": finite,
        },
        "nonfinite": list(nonfinite(observed, ""))[:PREVIEW],
    }


def unmeant(error: Exception, fitted: bool) -> str | None:
    """Type and place of an error of a step that the environment neither raises by a statement of its own nor answers.

    Args:
        error: What was raised.
        fitted: Whether the action fitted its model, so that a validation that failed in the environment's own code was
            not the action's.

    Returns:
        As ``KeyError game.py:12``; None of what stands for a refusal.
    """
    if isinstance(getattr(error, "errors", None), list):  # an app's own validation
        return None
    way = traceback.extract_tb(error.__traceback__)
    own = any(is_own(frame.filename) for frame in way)
    if isinstance(error, ValidationError) and not (fitted and own):
        return None
    place = told_place(error) or place_of(error)
    if place["file"] is None or place["meant"]:
        return None
    return f"{place['type']} {place['file']}:{place['line']}"


def told_place(error: BaseException) -> Json | None:
    """Where the code of an app's route is that answered with an error; None of every other error."""
    # The adapters are read where an app is flown.
    adapters = sys.modules.get(f"{__package__}.plain" if __package__ else "worker_plain")
    if adapters is None or not isinstance(error, adapters.Refused):
        return None
    place: Json = error.place
    return place


def place_of(error: BaseException) -> Json:
    """What was raised, and the environment's innermost line on the way to it.

    Returns:
        ``type``, ``said``, ``file`` (from the working directory where it lies there), ``line``, ``code``, and
        whether it is ``meant``: raised by a statement of the environment, and not as something that cannot be.
    """
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if is_own(frame.filename)]
    frame = own[-1] if own else frames[-1]
    code, here = (frame.line or "").strip(), Path.cwd()
    meant = frame is frames[-1] and is_raise(frame)
    file = Path(frame.filename)
    return {
        "type": type(error).__name__,
        "said": " ".join(str(error).split())[:SHOWN_CHARS],
        "file": str(file.relative_to(here) if file.is_relative_to(here) else file),
        "line": frame.lineno,
        "code": code[:SHOWN_CHARS],
        "meant": meant and not isinstance(error, AssertionError | NotImplementedError),
    }


def is_raise(frame: traceback.FrameSummary) -> bool:
    """Whether a frame stands at a ``raise``, wherever in its line, and not at what is worked out for one."""
    line = linecache.getline(frame.filename, frame.lineno or 0).encode()
    return line[frame.colno or 0 :].lstrip().startswith(b"raise")


@lru_cache(maxsize=1024)  # of each frame on the way to each error
def is_own(file: str) -> bool:
    """Whether a file is the environment's own: neither Python's, nor an installed package's, nor the worker's."""
    path = Path(file)
    installed = {"site-packages", "dist-packages"} & set(path.parts)
    library = any(path.is_relative_to(folder) for folder in LIBRARIES)
    return not (installed or library or path.parent == Path(__file__).parent)


def shown(value: Any) -> str:
    """A value as Python writes it; where it does not, what keeps it from it."""
    with Boundary() as asked:
        return repr(value)
    return in_words(asked.error)


def is_finite(number: float) -> bool:
    """Whether a number is one that a float holds."""
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def nonfinite(value: Any, path: str) -> Iterator[str]:
    """Paths of NaN and infinities."""
    if isinstance(value, float) and not math.isfinite(value):
        yield path
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from nonfinite(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from nonfinite(inner, f"{path}[{number}]")


def import_client(module: str, folder: Path) -> Json:
    """Import a client, and say which of the folder's modules that brought in.

    Args:
        module: The client's module name.
        folder: The environment's folder.

    Returns:
        ``classes``, the OpenEnv clients in it; ``loaded``, files of the folder by module; ``environments``,
        classes that are server environments; or ``error``.
    """
    from openenv.core import EnvClient
    from openenv.core.env_server.interfaces import Environment

    with Boundary() as importing:
        client = importlib.import_module(module)
    if importing.error is not None:
        return {"error": in_words(importing.error)}
    loaded, environments = {}, []
    for name, found in sorted(sys.modules.items()):
        file = getattr(found, "__file__", None)
        if not file or not Path(file).is_relative_to(folder):
            continue
        loaded[name] = Path(file).relative_to(folder).as_posix()
        if name.partition(".")[0] not in GIVEN:  # a copy of OpenEnv is no environment's server
            environments += [cls for cls in subclasses_in(found, Environment)]
    return {
        "classes": list(subclasses_in(client, EnvClient)),
        "loaded": loaded,
        "environments": environments,
    }


def subclasses_in(module: Any, base: type) -> Iterator[str]:
    """Names of the classes that a module defines itself and that derive from a base."""
    for name, value in list(vars(module).items()):
        own = inspect.isclass(value) and value.__module__ == module.__name__
        if own and issubclass(value, base):
            yield f"{module.__name__}.{name}"
