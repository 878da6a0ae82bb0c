"""What ``gonogo probe`` leaves: which models can be trained here, and what they earn before they are."""

from __future__ import annotations

from typing import ClassVar

from gonogo.records.record import Estimate, Part, StationRecord
from gonogo.wire import JsonObject, TaskOptions


class MemoryBudget(Part):
    """Memory that a training may take."""

    gb: float
    whose: str
    """Of which machine, in words."""
    on_cpu: bool
    """Whether a CPU would train."""


class ProbedTasks(Part):
    """The tasks that everything flew."""

    first: TaskOptions
    count: int


class ModelChoice(Part):
    """The model to train, or to try first."""

    name: str
    measured: bool
    """Whether it was flown."""
    why: str


class ModelAdvice(Part):
    """The next thing to change."""

    name: str
    """The model that it is about; ``environment`` for the environment itself."""
    advice: str


class ContextNeed(Part):
    """How long the longest episode of the policies that are no model is."""

    bytes: int
    tokens: int | None
    """By the worst tokens a byte of a measured pretrained model; None where none was measured."""
    at_most: int
    """A token for each byte, which no byte-level tokenizer exceeds, and the chat template's markers."""
    tokens_a_byte: float | None


class ContextFit(Part):
    """Whether a model's context holds an episode."""

    need: int
    """Tokens."""
    basis: str
    """``about``, or ``at most`` of a bound."""
    had: int | None
    """Tokens of the model's context; None where that is not known."""
    enough: bool | None


class EpisodeTokens(Part):
    """Tokens of a policy's episodes."""

    mean: float | None
    longest: int | None
    reply_mean: float | None
    reply_longest: int | None
    context_ran_out: int
    """Episodes that no longer fitted the context."""


class IdleComparison(Part):
    """A policy beside idle on the tasks that both have a score for."""

    episodes: int
    idle_top: float | None
    """Upper end of idle's interval; its score where that is constant."""
    better: int
    """Tasks on which it beat idle."""
    difference: Estimate | None
    above: bool | None
    """Whether it scores above idle; None where nothing can be compared."""


class MeasuredPolicy(Part):
    """A policy's numbers."""

    episodes: int
    """Those with a score."""
    lost: dict[str, int]
    """Episodes that infrastructure lost, by why."""
    unscored: int
    """Episodes for which nothing was paid."""
    scores: tuple[float | None, ...]
    """In the order of the tasks."""
    score: Estimate
    success: Estimate | None
    invalid_rate: float | None
    """Share of the replies that were refused."""
    invalid_said: dict[str, int]
    """The commonest reasons."""
    timeout_rate: float | None
    mean_turns: float | None
    example: str | None
    """What was said first, in a model's own words."""
    tokens: EpisodeTokens | None
    same_action: bool
    """Whether every valid action of every episode was the same one."""
    against_idle: IdleComparison | None = None
    """None of idle itself."""


class MeasuredModel(MeasuredPolicy):
    """A model's numbers."""

    against_idle: IdleComparison
    seconds: float | None
    """That its episodes took; None where none was flown anew."""


class ModelNumbers(Part):
    """A candidate; what was seen of its weights goes before what its entry says."""

    name: str
    repository: str | None
    where: str | None
    """Path or address of its weights; None where there are none."""
    weights_hash: str | None
    parameters: int | None
    architecture: dict[str, int | bool] | None
    """Its shape, as the config's candidates give it."""
    memory: dict[str, float] | None
    """GB by use, as in ``lora_4bit_gb``; None where the shape is not known."""
    fits: str | None
    """The most that fits the machine, or ``nothing``; None where that is not known."""
    context: ContextFit
    licence: str | None
    unsloth: bool | None
    """Whether Unsloth trains it."""
    sources: dict[str, str]
    """Where its facts are from, by field."""
    failure: str | None
    """Why it could not be flown."""
    measured: MeasuredModel | None

    @property
    def trains(self) -> bool:
        """Whether LoRA on it fits the machine."""
        return self.fits in {"lora_16bit", "lora_4bit"}


class RankedModel(ModelNumbers):
    """A candidate among the others."""

    axes: dict[str, float | None]
    """Its score on each axis, from 0 to 1; None where it is not known."""
    total: float


class ProbeReport(StationRecord):
    """All candidates, and the episodes of those whose weights can be had."""

    kind: ClassVar[str] = "probe"
    version: ClassVar[int] = 1
    station: ClassVar[str] = "probe"

    environment: str
    """Its own name."""
    reward_hash: str | None
    """Of the reward that paid in place of the environment's own; None where that paid."""
    seed: int
    episodes: int
    """Of each policy."""
    tasks: ProbedTasks
    choice: ModelChoice | None
    advice: tuple[ModelAdvice, ...]
    notes: tuple[str, ...]
    machine_memory: MemoryBudget
    context_need: ContextNeed
    weights: dict[str, int]
    """What each axis counts in the total."""
    policies: dict[str, MeasuredPolicy]
    """Idle, and the others that are no model."""
    candidates: tuple[RankedModel, ...]
    config: JsonObject
    """The sections ``reward``, ``rollout`` and ``probe`` of the run's config."""
