"""One run: the environment, the model, what each station does; loaded from a YAML file and options, and checked."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias, get_args

import yaml
from pydantic import BaseModel, Field, ValidationError, field_validator, model_validator

from gonogo.config.stations import (
    FUNCTION,
    WORDS,
    AuditConfig,
    CheckConfig,
    EvaluationConfig,
    Frozen,
    MapConfig,
    ProbeConfig,
    RolloutConfig,
    ThemeConfig,
)
from gonogo.config.training import ModelConfig, TrainConfig
from gonogo.errors import ConfigError
from gonogo.nearest import names_in, nearest
from gonogo.wire import JsonObject, TaskOptions

ConfigFields: TypeAlias = JsonObject
"""Values of fields by their dotted names (``evaluation.episodes``), as options give them;
:func:`~gonogo.config.run_config.load` checks them with the file's."""
ENVIRONMENTS = "environments"
"""Folder of a run with what was flown in its training's further environments."""
VLLM_HOTTEST = 2
"""Highest temperature that vLLM's server takes."""
UNPLANNED = (
    "train: the config has no such section; gonogo plan TARGET --file FILE writes a config with one"
)
"""What is wrong with a config that is to train and does not say how."""


class RunConfig(Frozen):
    """One config file: the environment, the model, and what each station does."""

    target: str = Field(min_length=1)
    """The environment: a folder, an import path `package.module:Class`, a server's URL, a Space (`hf:owner/name`), a
    git URL or a Gymnasium id (`gym:ID`)."""
    out: Path
    """Folder of the run's records, models and plots."""
    seed: int = Field(0, ge=0, lt=2**32)
    """Seed of everything that draws at random in the run."""
    reward: Path | None = None
    """Python file whose `make_reward` pays instead of the environment; null for its own reward."""
    model: ModelConfig = ModelConfig()
    """What is trained."""
    rollout: RolloutConfig = RolloutConfig()
    """How episodes are flown."""
    map: MapConfig = MapConfig()
    """How much is flown to know the environment."""
    theme: ThemeConfig = ThemeConfig()
    """Where the problem statement is."""
    audit: AuditConfig = AuditConfig()
    """How much is flown to find out what the reward pays for."""
    probe: ProbeConfig = ProbeConfig()
    """Which models are tried before any is trained."""
    train: TrainConfig | None = None
    """How to train; `train` and `demo` need it."""
    log: Literal["trackio", "tensorboard", "wandb", "none"] | None = None
    """Where a training's figures go beside `training.jsonl`; null for trackio, if it is installed."""
    evaluation: EvaluationConfig = EvaluationConfig()
    """Which tasks and policies are flown and compared."""
    check: CheckConfig = CheckConfig()
    """What a submission is checked by."""

    def flown_in(self, environment: str) -> ConfigFields:
        """What is another where the run's models are flown in one of its training's further environments.

        Args:
            environment: Its name.

        Returns:
            Values of fields by their dotted names, as :func:`~gonogo.config.run_config.load` takes them.

        Raises:
            ConfigError: There is none of that name.
        """
        others = () if self.train is None else self.train.environments
        found = {each.name: each for each in others}
        if environment not in found:
            raise ConfigError(
                f"environment must be one of train.environments, {list(found)}, not {environment!r}"
            )
        other = found[environment]
        tasks = other.evaluation.model_dump(mode="json")
        return {
            "target": other.target,
            "out": str(self.out / ENVIRONMENTS / environment),
            "rollout.success": other.success,
            "evaluation.models_from": str(self.trained_in),
            **{f"evaluation.{name}": value for name, value in tasks.items()},
        }

    def within(self, turns: int) -> Self:
        """The same run with another limit of turns, unless its own was given.

        Args:
            turns: What the map found, as its record's ``terminal.limit`` says.
        """
        if "max_turns" in self.rollout.model_fields_set:
            return self
        rollout = self.rollout.model_copy(update={"max_turns": turns})
        return self.model_copy(update={"rollout": rollout})

    @property
    def targets(self) -> list[str]:
        """The environments of the run: the target, and those that a training flies beside it."""
        return [
            self.target,
            *(() if self.train is None else (e.target for e in self.train.environments)),
        ]

    @property
    def words(self) -> Path:
        """File of the author's words about the environment."""
        return self.theme.words or self.out / WORDS

    @property
    def trained_in(self) -> Path:
        """Folder of the run whose models are flown."""
        return self.evaluation.models_from or self.out

    @field_validator("out", mode="before")
    @classmethod
    def _out_is_named(cls, out: object) -> object:
        if isinstance(out, str) and not out.strip():
            raise ValueError(f"must name a folder, not {out!r}; '.' is this one")
        return out

    @model_validator(mode="after")
    def _reward_is_there(self) -> Self:
        if self.reward is not None and not self.reward.is_file():
            raise ValueError(f"reward must be a Python file, and {self.reward} is none")
        return self

    @model_validator(mode="after")
    def _what_is_served_can_be(self) -> Self:
        if self.rollout.vllm is not None and self.model.lora is None:
            raise ValueError(
                "rollout.vllm needs model.lora: factors are sent to the server, and whole weights are not"
            )
        grpo = None if self.train is None else self.train.grpo
        if self.rollout.vllm is not None and grpo is not None and grpo.temperature > VLLM_HOTTEST:
            raise ValueError(
                f"train.grpo.temperature must be at most {VLLM_HOTTEST} with rollout.vllm, not {grpo.temperature}"
            )
        return self

    @model_validator(mode="after")
    def _who_teaches_itself_can_speak(self) -> Self:
        sft = None if self.train is None else self.train.sft
        if sft is not None and sft.teacher == "self" and self.model.pretrained is None:
            raise ValueError(
                "train.sft.teacher self needs model.pretrained: a model made from scratch knows no words"
            )
        return self


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
            read = yaml.load(value, Loader=_Loader)  # a SafeLoader
        except (yaml.YAMLError, ValueError) as error:
            raise ConfigError(f"{word!r}: the value is not YAML: {error}") from error
        try:
            # As the environment gets it: YAML's keys may be numbers, JSON's are texts.
            options[name] = json.loads(json.dumps(read, allow_nan=False))
        except (TypeError, ValueError) as error:
            raise ConfigError(f"{word!r}: the value is none of JSON: {error}") from error
    return options


ENDS = ("audit.minutes", "audit.budget")
"""Fields that say where an audit ends. One rules; what is given goes before what is kept or in a file."""


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
            a line for each broken field. Or the overrides say twice where an audit ends.
    """
    data = {} if path is None else read_mapping(path)
    given = overrides or {}
    ends = {name: given[name] for name in ENDS if given.get(name) is not None}
    if len(ends) > 1:
        said = " and ".join(f"--{name.rpartition('.')[2]} {value}" for name, value in ends.items())
        raise ConfigError(f"{said} each say where an audit ends: give one of them")
    if "audit.minutes" in ends:  # where a file says steps, they would go before
        given = {**given, "audit.budget": None}
    for name, value in given.items():
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
        inner = inner or {}
        data[section] = inner
        data = inner
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
