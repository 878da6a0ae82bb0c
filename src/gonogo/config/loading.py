"""From a YAML file and options to a checked :class:`~gonogo.config.run.RunConfig`."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ValidationError

from gonogo.config.base import ConfigFields
from gonogo.config.flying import FUNCTION
from gonogo.config.run import RunConfig
from gonogo.errors import ConfigError
from gonogo.nearest import names_in, nearest
from gonogo.wire import JsonObject, TaskOptions

__all__ = ["describe", "load", "read_mapping", "reset_options", "run_name"]


SHOWN = 5
"""Functions of a module that are named."""


def run_name(target: str) -> str:
    """What a run of this target is called where nobody said: its last part, fit for a folder."""
    folder = Path(target)
    last = folder.resolve().name if folder.is_dir() else target.rstrip("/").rpartition("/")[2]
    return re.sub(r"[^\w.-]+", "-", last).strip("-.") or "environment"


def reset_options(words: Sequence[str]) -> TaskOptions:
    """Reset options as a command line gives them, ``NAME=VALUE`` each; a value is read as YAML.

    An empty word alone stands for none of them.

    Raises:
        ConfigError: A word is none, or names an option twice.
    """
    options: TaskOptions = {}
    for word in () if list(words) == [""] else words:
        name, equals, value = word.partition("=")
        if not name or not equals:
            raise ConfigError(f"a reset option must be NAME=VALUE, not {word!r}")
        if name in options:
            raise ConfigError(f"a reset option must be given once, and {name!r} is given twice")
        try:
            options[name] = yaml.load(value, Loader=_Loader)  # a SafeLoader
        except (yaml.YAMLError, ValueError) as error:
            raise ConfigError(f"{word!r}: the value is not YAML: {error}") from error
    return options


def load(path: Path | None, overrides: ConfigFields | None = None) -> RunConfig:
    """Load and check a config file.

    Args:
        path: A YAML file with the fields of :class:`RunConfig`; None where the overrides say all.
        overrides: Values that replace the file's, by dotted name (``evaluation.episodes``). Sections
            that the file lacks are made. Checked like the file's own.

    Returns:
        The config.

    Raises:
        ConfigError: The file cannot be read, is no YAML mapping, or breaks a rule; the message has
            a line for each broken field.
    """
    data = {} if path is None else read_mapping(path)
    for name, value in (overrides or {}).items():
        _replace(data, name, deepcopy(value))  # a later name may set a field inside it
    source = "options" if path is None else str(path)
    try:
        document = json.dumps(data, allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{source}: holds a value that JSON has not: {error}") from error
    # Through JSON, because strict validation takes lists for tuples and texts for paths only there.
    try:
        return RunConfig.model_validate_json(document)
    except ValidationError as error:
        raise ConfigError(describe(error, source, RunConfig)) from error


def describe(error: ValidationError, source: str, root: type[BaseModel]) -> str:
    """What a validation error says, one line a field: its name, the rule, the value.

    Args:
        error: The error.
        source: Where the values are from.
        root: The model that they were to be, whose fields are the words that may have been meant.
    """
    lines = []
    for problem in error.errors(include_url=False, include_context=False):
        field = ".".join(str(part) for part in problem["loc"])
        rule = problem["msg"].removeprefix("Value error, ")
        if problem["type"] == "value_error":  # ours: they name the value themselves
            lines.append(f"{source}: {field or 'config'}: {rule}")
        elif problem["type"] == "missing":
            lines.append(f"{source}: {field}: {rule}")
        elif problem["type"] == "extra_forbidden":
            said = nearest(str(problem["loc"][-1]), known_fields(root, problem["loc"][:-1]))
            lines.append(f"{source}: {field}: there is no such field{said}")
        elif problem["type"] == "string_pattern_mismatch" and FUNCTION in rule:
            lines.append(f"{source}: {field}: {not_a_function(problem['input'])}")
        else:
            lines.append(f"{source}: {field}: {rule}, not {_shown(problem['input'])}")
    return "\n".join(lines)


def known_fields(root: type[BaseModel], place: Sequence[int | str]) -> list[str]:
    """Fields of the model at a place within another.

    Args:
        root: The model.
        place: Names and numbers on the way.
    """
    models = [root]
    for part in place:
        if isinstance(part, str):
            kinds = [m.model_fields[part].annotation for m in models if part in m.model_fields]
            models = [inner for kind in kinds for inner in models_in(kind)]
    return [name for model in models for name in model.model_fields]


def models_in(kind: Any) -> list[type[BaseModel]]:
    """The models that a type names, such as each of a union and that of a list."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return [kind]
    return [model for inner in get_args(kind) for model in models_in(inner)]


def not_a_function(value: Any) -> str:
    """What is wrong with a function's name, and which functions there are where a module alone was named."""
    names = names_in(Path(f"{str(value).strip(':').replace('.', '/')}.py")) or set()
    has = f"; there it has {', '.join(sorted(names)[:SHOWN])}" if names else ""
    return f"must be a function, MODULE:FUNCTION as in policies:walk, not {_shown(value)}{has}"


def read_mapping(path: Path) -> JsonObject:
    """The fields of a YAML file, unchecked.

    Raises:
        ConfigError: The file cannot be read, or is no YAML mapping.
    """
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)  # a SafeLoader
    except FileNotFoundError as error:
        beside = path.parent.glob("*.y*ml") if path.parent.is_dir() else ()
        said = nearest(path.name, [each.name for each in beside])
        raise ConfigError(f"{path}: cannot be read: there is no such file{said}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from error
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError(f"{path}: not YAML: {error}") from error
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: must hold a mapping of fields, not {type(data).__name__}")
    return data


def _replace(data: JsonObject, name: str, value: Any) -> None:
    *sections, field = name.split(".")
    for section in sections:
        inner = data.get(section)
        # A section that is no mapping is left for validation to name.
        if inner is not None and not isinstance(inner, dict):
            return
        data[section] = inner or {}
        data = data[section]
    data[field] = value


def _shown(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 80 else text[:77] + "..."


class _Loader(yaml.SafeLoader):
    """YAML without its two traps: `4e-4` is a number here, and a doubled key is an error."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        doubled = sorted({str(key) for key in keys if keys.count(key) > 1})
        if doubled:
            raise yaml.constructor.ConstructorError(
                None, None, f"a field is given twice: {', '.join(doubled)}", node.start_mark
            )
        return super().construct_mapping(node, deep)


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+$"),
    list("-+0123456789"),
)
