"""How episodes are flown, and what each station does that does not train."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from gonogo.wire import TaskOptions


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


FUNCTION = r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$"
"""A Python function's name, ``package.module:function``."""


def names_alone(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names of environment variables.

    Raises:
        ValueError: One is none. It is not repeated: where a value stands, it is a secret.
    """
    if not all(re.fullmatch(r"[A-Za-z_]\w*", name) for name in names):
        raise ValueError("must be names of variables, such as OPENAI_API_KEY, without their values")
    return names


class RolloutConfig(Frozen):
    """How episodes are flown, in training and in evaluation."""

    slots: int = Field(64, ge=1)
    """Episodes in the air at once; fewer if the environment allows fewer."""
    max_turns: int = Field(64, ge=1)
    """Decisions after which an episode ends as a timeout. Where it is not given, theme, audit, grade, reward and plan
    take the map's, which lies above the longest end that was seen."""
    max_reply_tokens: int = Field(48, ge=1)
    """Longest reply in tokens; a longer one is cut and probably invalid."""
    cache_mib: int | None = Field(None, ge=1)
    """Most memory of a model's keys and values, MiB: fewer episodes fly at once where `slots` of them, each as long as
    the model's context, would need more; null for no bound."""
    vllm: str | None = Field(None, pattern=r"^https?://[^/\s]+/\S*$")
    """URL of the API of vLLM's server that says what a model of the run says, such as `http://127.0.0.1:8000/v1`; null
    for gonogo's own decoder. The model needs `lora`: its factors are sent, through a folder in `out` that the server
    must see at the same place. Start it on the same base model with `VLLM_ALLOW_RUNTIME_LORA_UPDATING=True vllm serve
    MODEL --enable-lora --max-lora-rank RANK --max-model-len CONTEXT --logprobs-mode processed_logprobs`."""
    timeout_s: float = Field(60.0, gt=0)
    """Seconds that one step may take, counted from the answer before it in the same batch, or one answer of vLLM's
    server, before its episodes count as lost."""
    startup_s: float = Field(180.0, gt=0)
    """Seconds that loading the environment may take. A server that goes, or falls silent, is waited for as long; then
    the command ends as HOLD with how many episodes are left."""
    success: str | None = Field(None, min_length=1)
    """Expression on an observation's fields, `metadata`, `state`, `done` and `reward` that is true where an episode has
    succeeded; null for what the environment says in the usual fields. Of a training's further environments each has
    its own."""

    env: Annotated[tuple[str, ...], Field(strict=False), AfterValidator(names_alone)] = ()
    """Names of your environment variables that foreign code is given beside the few that programs need, such as
    `[OPENAI_API_KEY]`; their values are never written anywhere."""

    install: bool = False
    """Whether what the environment's `pyproject.toml` and `requirements.txt` name is installed first, into a virtual
    environment that is kept in the cache."""

    @model_validator(mode="after")
    def _one_cache(self) -> Self:
        if self.vllm is not None and self.cache_mib is not None:
            raise ValueError("cache_mib bounds gonogo's own decoder: give it or vllm, not both")
        return self


def one_of(in_turn: Sequence[TaskOptions], number: int) -> TaskOptions:
    """The options that are a task's turn, by its number from 0; none where there are none."""
    return in_turn[number % len(in_turn)] if in_turn else {}


class TaskSource(Frozen):
    """Where tasks come from: reset options, with `index` counted up for each new task."""

    options: TaskOptions
    """Reset options of every task, such as `{split: train, level: detumble}`."""
    in_turn: tuple[TaskOptions, ...] = ()
    """Further options, one of them for each task in turn, such as `[{level: detumble}, {level: retarget}]`."""
    start: int = Field(0, ge=0)
    """First `index`."""

    def options_of(self, number: int) -> TaskOptions:
        """Reset options of a task, by its number from 0, without its ``index``."""
        return self.options | one_of(self.in_turn, number)


class TaskPlan(Frozen):
    """Held-out tasks, the same for every policy."""

    split: str | None = None
    """Split of the tasks, as a reset option; null where the environment has none."""
    level: str | None = None
    """Level of the tasks, as a reset option; null where the environment has none."""
    options: TaskOptions = Field(default_factory=dict)
    """Further reset options of every task."""
    in_turn: tuple[TaskOptions, ...] = ()
    """Further options, one of them for each task in turn, such as `[{level: detumble}, {level: retarget}]`."""
    start: int = Field(0, ge=0)
    """First task; the option is `index` with a split, `seed` without."""
    episodes: int = Field(200, ge=1)
    """Episodes of each policy."""

    def tasks(self) -> list[TaskOptions]:
        """The reset options of every episode, in order."""
        fixed = {"split": self.split, "level": self.level}
        base = {**self.options, **{key: value for key, value in fixed.items() if value is not None}}
        counter = "seed" if self.split is None else "index"
        return [
            {**base, **one_of(self.in_turn, number), counter: self.start + number}
            for number in range(self.episodes)
        ]


class EvaluationConfig(TaskPlan):
    """The evaluate station: the same held-out tasks for every policy."""

    policies: tuple[str, ...] = Field(("idle", "random"), min_length=1)
    """Names: reference policies, `idle`, `random`, functions `module:function` of (observation, memory), and models of
    the run or folders of models."""
    compare: tuple[tuple[str, str], ...] = ()
    """Pairs (baseline, candidate); empty for `trained`, else the last, against each of the others."""
    models_from: Path | None = None
    """Folder of the run whose models are flown, such as one that trained in several environments; null for this
    run's own."""
    memorisation: bool = False
    """Whether it is meant that held-out or validation tasks are copies of training's, as where there is one task: a
    training that would otherwise be refused then begins. Its evaluation measures memorisation, and answers HOLD."""

    @model_validator(mode="after")
    def _policies_known(self) -> Self:
        if len(set(self.policies)) < len(self.policies):
            raise ValueError(f"policies must be different, not {list(self.policies)}")
        strangers = sorted({name for pair in self.compare for name in pair} - set(self.policies))
        if strangers:
            raise ValueError(f"compare must name policies of the evaluation, not {strangers}")
        return self


class MapConfig(Frozen):
    """The map station: what is flown to know an environment and to hold it against its contract."""

    reset: TaskOptions = Field(default_factory=dict)
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
    minutes: float = Field(2.0, gt=0)
    """Minutes that a map may take where it is asked for alone; before an audit it takes a third of the audit's."""


class AuditConfig(Frozen):
    """The audit station: what is flown on each task of the map, to find out what the reward pays for."""

    seeds: int = Field(20, ge=4)
    """Seeds that every policy flies on each task at most, few of them first; as many others confirm what was found."""
    minutes: float = Field(2.0, gt=0)
    """Minutes that map and audit may take together; `budget` takes its place."""
    budget: int | None = Field(None, ge=1)
    """Steps and resets after which the audit of all tasks ends, whatever the clock says: as a record names them, they
    repeat its audit to the bit; null for the end that `minutes` sets."""
    search: int = Field(20_000, ge=0)
    """Environment steps of the search on each task, where it is reached."""
    reference: str | None = Field(None, pattern=FUNCTION)
    """A policy that succeeds, `module:function` of (observation, memory); beside those that the target ships."""
    rewards: tuple[Annotated[str, Field(pattern=FUNCTION)], ...] = ()
    """Reward functions outside the environment, `module:function` each, whose pay is audited in its place."""
    policy: str | None = Field(None, min_length=1)
    """A trained policy to audit too: a model's folder, or a model of the run; may end in `_sampled`."""
    jobs: int = Field(1, ge=1)
    """Tasks that are audited at once, each by processes of its own; the record is the same for any number."""


class ProbeConfig(TaskPlan):
    """The probe station: candidate models, those whose weights can be had flown without any training."""

    episodes: int = Field(10, ge=1)
    """Episodes of each model, the same tasks for all and for idle."""
    models: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    """Models whose weights can be had, `NAME=WHERE` or `WHERE`: a folder, a GGUF file, or the base URL of an
    OpenAI-compatible server with the model's name as its fragment (`http://host:8000/v1#model`)."""
    candidates: Path | None = None
    """YAML file of further candidates, in the form of the shipped one; null for the shipped ones alone."""
    memory_gb: float | None = Field(None, gt=0)
    """Memory in GB (1e9 bytes) that training may take; null for this machine's GPU, or RAM without one."""
    lora_rank: int = Field(16, ge=1)
    """Rank of the LoRA that training would use, on every projection."""
    batch: int = Field(1, ge=1)
    """Episodes in one forward and backward pass of that training."""
    reply_timeout_s: float = Field(60.0, gt=0)
    """Seconds that a server may take for one reply before the episode counts as lost."""

    @model_validator(mode="after")
    def _candidates_are_there(self) -> Self:
        if self.candidates is not None and not self.candidates.is_file():
            raise ValueError(f"candidates must be a YAML file, and {self.candidates} is none")
        return self


WORDS = "theme.yaml"
"""The file of a run's folder that the author's words are in, where no other is named."""


class ThemeConfig(Frozen):
    """The theme station: the author's words, and the gate that asks for them."""

    required: bool = True
    """Whether what costs much (reward, probe, train, demo) refuses a run without a confirmed problem statement."""

    words: Path | None = None
    """YAML file of the author's words, written as a template where there is none; null for `theme.yaml` in `out`."""
    draft: str | None = Field(None, pattern=r"^https?://[^/\s]+")
    """Base URL of an OpenAI-compatible server whose model drafts the words, with the model's name as its fragment
    (`http://host:8000/v1#model`); null for a template without words."""


URL = r"^https?://[^/\s]+(/\S*)?$"


class CheckConfig(Frozen):
    """The check station: a submission's boxes that no file of the package answers."""

    space: str | None = Field(None, pattern=URL)
    """The Space, by its page or its server's URL; null where there is none yet."""
    submission: str | None = Field(None, pattern=URL)
    """The URL that is submitted; null where it is not known yet."""
    notebook: Path | None = None
    """The notebook; null for the one that the README links, or the only one beside it."""
    quick: bool = False
    """Leave out what takes minutes: running the notebook and building the image."""
    notebook_s: float = Field(3600.0, gt=0)
    """Seconds that the notebook may take."""
    build_s: float = Field(900.0, gt=0)
    """Seconds that one step of the image may take, and the tests of the exploits."""

    @model_validator(mode="after")
    def _notebook_is_there(self) -> Self:
        if self.notebook is not None and not self.notebook.is_file():
            raise ValueError(f"notebook must be a file, and {self.notebook} is none")
        return self
