"""What a run is to do, as frozen, typed, strict models loaded from YAML.

A config file holds one :class:`RunConfig`. Nothing is coerced and nothing unknown is let through: a
wrong field stops the program with its name, the rule and the value, before anything has started.
The environment is named by its target and its tasks by reset options; no field here knows what they
mean.

Every field's documentation is the string below it, and is its description in the JSON schema.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from gonogo.errors import ConfigError


class Frozen(BaseModel):
    """Base of all config models: frozen, strict, no unknown fields, no NaN."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        use_attribute_docstrings=True,
        protected_namespaces=(),
    )


class ModelConfig(Frozen):
    """The language model: a small one made from scratch, or a pretrained one from a folder."""

    pretrained: str | None = None
    """Folder or hub name of a pretrained model; the architecture below is then not used."""
    architecture: Literal["llama", "qwen2"] = "llama"
    """Architecture of a model made from scratch."""
    hidden: int = Field(128, ge=8)
    """Width of the residual stream; a multiple of `heads`."""
    intermediate: int = Field(352, ge=8)
    """Width of the feed-forward layers."""
    layers: int = Field(4, ge=1)
    """Number of transformer blocks."""
    heads: int = Field(4, ge=1)
    """Attention heads in each block."""
    key_value_heads: int | None = Field(None, ge=1)
    """Heads of keys and values, a divisor of `heads`; null for as many as `heads`."""
    vocabulary: int = Field(512, ge=260)
    """Most tokens of the tokenizer trained on transcripts: 256 bytes, 4 markers, then merges."""
    context: int = Field(4096, ge=64)
    """Longest episode in tokens."""
    initial_std: float = Field(0.06, gt=0)
    """Standard deviation of a new model's weights; 0.02, made for wide models, starves a narrow one."""

    @model_validator(mode="after")
    def _heads_divide(self) -> Self:
        if self.hidden % self.heads:
            raise ValueError(
                f"hidden must be a multiple of heads ({self.heads}), not {self.hidden}"
            )
        if self.key_value_heads is not None and self.heads % self.key_value_heads:
            raise ValueError(
                f"key_value_heads must divide heads ({self.heads}), not {self.key_value_heads}"
            )
        return self


class RolloutConfig(Frozen):
    """How episodes are flown, in training and in evaluation."""

    slots: int = Field(64, ge=1)
    """Episodes in the air at once; fewer if the environment allows fewer."""
    max_turns: int = Field(64, ge=1)
    """Decisions after which an episode ends as a timeout."""
    max_reply_tokens: int = Field(48, ge=1)
    """Longest reply in tokens; a longer one is cut and probably invalid."""
    timeout_s: float = Field(60.0, gt=0)
    """Seconds that one batch of steps may take before its episodes count as lost."""


class TaskSource(Frozen):
    """Where tasks come from: reset options, with `index` counted up for each new task."""

    options: dict[str, Any]
    """Reset options of every task, such as `{split: train, level: detumble}`."""
    start: int = Field(0, ge=0)
    """First `index`."""


class ValidationConfig(Frozen):
    """Held-out tasks that choose the checkpoint; never those of the evaluation."""

    tasks: TaskSource
    """Where validation tasks come from."""
    episodes: int = Field(64, ge=1)
    """Episodes of one validation, always the same tasks, flown greedily."""


class SftConfig(Frozen):
    """Supervised training on episodes of a teacher."""

    teacher: str | None = None
    """Policy to imitate: a reference policy, or `random`, which teaches to write actions and nothing else;
    null for the teacher that the environment declares."""
    episodes: int = Field(400, ge=1)
    """Teacher's episodes."""
    noise: dict[str, Annotated[float, Field(ge=0, le=0.9)]] = Field(default_factory=dict)
    """For fields of the action, the share of decisions in which the field is random instead. Accepted ones are
    learned with the rest: traces then show how to recover, and reinforcement only finds what the model
    sometimes says."""
    max_steps: int = Field(600, ge=1)
    """Optimizer steps at most; validation may stop earlier."""
    batch: int = Field(16, ge=1)
    """Episodes in one optimizer step."""
    learning_rate: float = Field(3e-3, gt=0)
    """Peak learning rate."""
    warmup_steps: int = Field(20, ge=0)
    """Steps over which the learning rate rises."""
    validate_every: int = Field(100, ge=1)
    """Steps between two validations."""
    patience: int = Field(2, ge=1)
    """Validations without a better score after which training ends."""


class GrpoConfig(Frozen):
    """Reinforcement by GRPO over groups of episodes of the same task."""

    steps: int = Field(60, ge=1)
    """Optimizer steps, each on freshly flown episodes."""
    tasks_per_step: int = Field(8, ge=1)
    """Different tasks in one step."""
    group_size: int = Field(16, ge=2)
    """Episodes of the same task, whose returns are compared."""
    learning_rate: float = Field(5e-4, gt=0)
    """Learning rate of the first step."""
    learning_rate_end: float = Field(1.5e-4, ge=0)
    """Learning rate of the last step; linear between the two."""
    temperature: float = Field(1.0, gt=0)
    """Sampling temperature of training episodes."""
    clip_low: float = Field(0.2, gt=0, lt=1)
    """How far a token's probability ratio may fall below 1 before its gradient is cut."""
    clip_high: float = Field(0.28, gt=0)
    """How far it may rise above 1."""
    invalid_penalty: float = Field(0.5, ge=0)
    """Subtracted from the return, times the share of invalid replies; never part of a score."""
    credit: Literal["episode", "turn"] = "turn"
    """Whether advantages belong to the whole episode, or to each turn by its return-to-go."""
    potential_key: str = Field("progress", min_length=1)
    """Name in the metadata of the bounded potential of a state, for turn-level credit."""
    potential_weight: float = Field(0.5, ge=0)
    """Weight of the potential's change from a turn to the end, beside the final score."""
    save_every: int = Field(5, ge=1)
    """Steps between two checkpoints to resume from."""
    validate_every: int = Field(5, ge=1)
    """Steps between two validations; the best checkpoint by validation score is the result."""
    print_every: int = Field(5, ge=1)
    """Steps between two prints of raw actions."""


class Stage(Frozen):
    """One stage of a curriculum: tasks by their reset options."""

    name: str = Field(min_length=1)
    """What logs call it."""
    options: dict[str, Any]
    """Reset options of its tasks; `index` is added."""
    weight: float = Field(1.0, gt=0)
    """Share of a step's tasks, relative to the other open stages."""


class CurriculumConfig(Frozen):
    """Stages from easy to hard; the next opens when the current one is going well enough."""

    stages: tuple[Stage, ...] = Field(min_length=1)
    """Stages in order; the first is open from the start and is the easiest variant."""
    promote_at: float = Field(0.30, ge=0, le=1)
    """Mean score on the current stage above which the next one opens."""
    demote_below: float = Field(0.10, ge=0, le=1)
    """Mean score under which training falls back to the first stage."""
    demote_after_steps: int = Field(500, ge=1)
    """Steps before which it never falls back."""
    window_steps: int = Field(5, ge=1)
    """Steps over which the mean score is taken."""

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        names = [stage.name for stage in self.stages]
        if len(set(names)) < len(names):
            raise ValueError(f"stages must have different names, not {names}")
        if self.demote_below > self.promote_at:
            raise ValueError(
                f"demote_below must not be above promote_at ({self.promote_at}), "
                f"not {self.demote_below}"
            )
        return self


class TrainConfig(Frozen):
    """The train station: SFT, then GRPO, either of them alone where the other is null."""

    validation: ValidationConfig
    """What chooses the checkpoint."""
    curriculum: CurriculumConfig
    """Which tasks training flies."""
    sft: SftConfig | None = None
    """Supervised part; null to skip it."""
    grpo: GrpoConfig | None = None
    """Reinforcement part; null to skip it."""

    @model_validator(mode="after")
    def _something_to_do(self) -> Self:
        if self.sft is None and self.grpo is None:
            raise ValueError("at least one of sft and grpo must be given")
        return self


class EvaluationConfig(Frozen):
    """The evaluate station: the same held-out tasks for every policy."""

    split: str | None = None
    """Split of the tasks, as a reset option; null where the environment has none."""
    level: str | None = None
    """Level of the tasks, as a reset option; null where the environment has none."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Further reset options of every task."""
    start: int = Field(0, ge=0)
    """First task; the option is `index` with a split, `seed` without."""
    episodes: int = Field(200, ge=1)
    """Episodes of each policy."""
    policies: tuple[str, ...] = Field(("idle", "random"), min_length=1)
    """Names: reference policies, `idle`, `random`, and models of the run or folders of models."""
    compare: tuple[tuple[str, str], ...] = ()
    """Pairs (baseline, candidate); empty for `trained`, else the last, against each of the others."""

    @model_validator(mode="after")
    def _policies_known(self) -> Self:
        if len(set(self.policies)) < len(self.policies):
            raise ValueError(f"policies must be different, not {list(self.policies)}")
        strangers = sorted({name for pair in self.compare for name in pair} - set(self.policies))
        if strangers:
            raise ValueError(f"compare must name policies of the evaluation, not {strangers}")
        return self

    def tasks(self) -> list[dict[str, Any]]:
        """The reset options of every episode, in order."""
        fixed = {"split": self.split, "level": self.level}
        base = {**self.options, **{key: value for key, value in fixed.items() if value is not None}}
        counter = "seed" if self.split is None else "index"
        return [{**base, counter: self.start + number} for number in range(self.episodes)]


class MapConfig(Frozen):
    """The map station: what is flown to know an environment and to hold it against its contract."""

    reset: dict[str, Any] = Field(default_factory=dict)
    """Reset options of the one task to map; empty for the tasks that the environment offers."""
    tasks: int = Field(12, ge=1)
    """Tasks that are flown at most; the record says which were left out."""
    steps: int = Field(24, ge=4)
    """Steps of a flight that is flown several times to be compared."""
    seeds: int = Field(3, ge=2)
    """Seeds that each task is flown with."""
    end_steps: int = Field(512, ge=1)
    """Steps within which the end of an episode is looked for."""
    budget_s: float = Field(30.0, gt=0)
    """Seconds of flight for each task; a slow environment's flights are shortened to it."""
    startup_s: float = Field(180.0, gt=0)
    """Seconds that loading the environment may take."""


class AuditConfig(Frozen):
    """The audit station: what is flown to find out whether the reward pays for nothing."""

    reset: dict[str, Any] = Field(default_factory=dict)
    """Reset options of the one task to audit; empty for the tasks that `map.json` lists, else the default one."""
    seeds: int = Field(20, ge=4)
    """Seeds that every policy flies on each task; as many others confirm what was found."""
    budget: int = Field(20_000, ge=0)
    """Environment steps of the search on each task."""
    reference: str | None = Field(None, pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")
    """A policy that succeeds, `module:function` of (observation, memory); beside those that the target ships."""
    startup_s: float = Field(180.0, gt=0)
    """Seconds that loading the environment may take."""


class RunConfig(Frozen):
    """One config file: the environment, the model, and what each station does."""

    target: str = Field(min_length=1)
    """The environment: a folder, an import path `package.module:Class`, or a server's URL."""
    out: Path
    """Folder of the run's records, models and plots."""
    seed: int = Field(0, ge=0, lt=2**32)
    """Seed of everything that draws at random in the run."""
    model: ModelConfig = ModelConfig()
    """What is trained."""
    rollout: RolloutConfig = RolloutConfig()
    """How episodes are flown."""
    map: MapConfig = MapConfig()
    """How much is flown to know the environment."""
    audit: AuditConfig = AuditConfig()
    """How much is flown to find out what the reward pays for."""
    train: TrainConfig | None = None
    """How to train; `train` and `demo` need it."""
    evaluation: EvaluationConfig = EvaluationConfig()
    """Which tasks and policies are flown and compared."""


def run_name(target: str) -> str:
    """What a run of this target is called where nobody said: its last part, fit for a folder."""
    folder = Path(target)
    last = folder.resolve().name if folder.is_dir() else target.rstrip("/").rpartition("/")[2]
    return re.sub(r"[^\w.-]+", "-", last).strip("-.") or "environment"


def reset_options(words: Sequence[str]) -> dict[str, Any]:
    """Reset options as a command line gives them, ``NAME=VALUE`` each; a value is read as YAML.

    Raises:
        ConfigError: A word is none, or names an option twice.
    """
    options: dict[str, Any] = {}
    for word in words:
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


def load(path: Path | None, overrides: Mapping[str, Any] | None = None) -> RunConfig:
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
    data = {} if path is None else _read(path)
    for name, value in (overrides or {}).items():
        _replace(data, name, value)
    source = "options" if path is None else str(path)
    try:
        document = json.dumps(data, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{source}: holds a value that JSON has not: {error}") from error
    # Through JSON, because strict validation takes lists for tuples and texts for paths only there.
    try:
        return RunConfig.model_validate_json(document)
    except ValidationError as error:
        raise ConfigError(describe(error, source)) from error


def describe(error: ValidationError, source: str) -> str:
    """What a validation error says, one line a field: its name, the rule, the value."""
    lines = []
    for problem in error.errors(include_url=False, include_context=False):
        field = ".".join(str(part) for part in problem["loc"])
        rule = problem["msg"].removeprefix("Value error, ")
        if problem["type"] == "value_error":  # ours: they name the value themselves
            lines.append(f"{source}: {field or 'config'}: {rule}")
        elif problem["type"] == "missing":
            lines.append(f"{source}: {field}: {rule}")
        else:
            lines.append(f"{source}: {field}: {rule}, not {_shown(problem['input'])}")
    return "\n".join(lines)


def _read(path: Path) -> dict[str, Any]:
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)  # a SafeLoader
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from error
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError(f"{path}: not YAML: {error}") from error
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: must hold a mapping of fields, not {type(data).__name__}")
    return data


def _replace(data: dict[str, Any], name: str, value: Any) -> None:
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
