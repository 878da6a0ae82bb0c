"""What the train station does: the model, the tasks, SFT and GRPO."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from gonogo.config.stations import Frozen, TaskPlan, TaskSource
from gonogo.wire import JsonObject, TaskOptions

LOADING = ("lora", "precision", "loader", "pad_token")
PROJECTIONS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


class LoraConfig(Frozen):
    """LoRA: a pretrained model's weights are frozen, and low-rank factors beside them are trained."""

    rank: int = Field(16, ge=1)
    """Rank of the factors."""
    alpha: int = Field(32, ge=1)
    """Their product counts `alpha / rank` times."""
    dropout: float = Field(0.0, ge=0, lt=1)
    """Share of the factors' inputs that SFT leaves out at random; GRPO leaves out none."""
    targets: tuple[Annotated[str, Field(min_length=1)], ...] = Field(PROJECTIONS, min_length=1)
    """Names of the linear layers that get factors, as the model calls them."""


class ModelConfig(Frozen):
    """The language model: a small one made from scratch, or a pretrained one."""

    pretrained: str | None = Field(None, min_length=1)
    """Folder, GGUF file or hub name of a pretrained chat model; the architecture below is then not used."""
    lora: LoraConfig | None = None
    """Train factors beside a pretrained model's frozen weights; null to train all weights."""
    precision: Literal["fp32", "bf16", "4bit"] = "fp32"
    """How a pretrained model's weights are held; what is trained is fp32 in any case, so that the lower two need
    `lora`. `4bit` is NF4 by bitsandbytes, with bf16 for everything else."""
    loader: Literal["auto", "transformers", "unsloth"] = "auto"
    """What loads a pretrained model; `auto` is Unsloth where a GPU and the extra are there and `precision` is not
    fp32, else transformers."""
    pad_token: str | None = Field(None, min_length=1)
    """Token of the vocabulary for padding, where a pretrained model's tokenizer has none or pads with its end."""
    chat_template: Path | None = None
    """Jinja file of the chat template of each pretrained model that the run opens, in place of its own."""
    chat_template_kwargs: JsonObject = Field(default_factory=dict)
    """Variables of that template, such as `{enable_thinking: false}`, without which a model that reasons at length
    before each reply cannot be flown."""
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

    def chat_hash(self) -> str:
        """What tells one way to write a chat from another; empty for the model's own."""
        if self.chat_template is None and not self.chat_template_kwargs:
            return ""
        text = "" if self.chat_template is None else self.chat_template.read_text("utf-8")
        said = json.dumps([text, self.chat_template_kwargs], sort_keys=True)
        return hashlib.sha256(said.encode()).hexdigest()

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

    @model_validator(mode="after")
    def _template_is_there(self) -> Self:
        if self.chat_template is not None and not self.chat_template.is_file():
            raise ValueError(
                f"chat_template must be a Jinja file, and {self.chat_template} is none"
            )
        return self

    @model_validator(mode="after")
    def _loading_fits(self) -> Self:
        if self.pretrained is None:
            fields = type(self).model_fields
            changed = [name for name in LOADING if getattr(self, name) != fields[name].default]
            if changed:
                raise ValueError(
                    f"{changed[0]} is about a pretrained model, and pretrained is null"
                )
        elif self.lora is None and self.precision != "fp32":
            raise ValueError(
                f"lora must be given with precision {self.precision}: all weights are trained in fp32"
            )
        elif self.loader == "unsloth" and self.precision == "fp32":
            raise ValueError("precision must be bf16 or 4bit with loader unsloth, not fp32")
        return self


class ValidationConfig(Frozen):
    """Held-out tasks that choose the checkpoint; never those of the evaluation."""

    tasks: TaskSource
    """Where validation tasks come from; those of a further environment are said with it."""
    episodes: int = Field(64, ge=1)
    """Episodes of one validation in each environment, always the same tasks."""
    decoding: Literal["greedy", "sampled"] = "greedy"
    """How they are flown: greedily, or sampled, each time with the same draws. Where an episode is one reply, or a
    model that says always the same gets stuck, what is greedy says little of what was learned."""

    @property
    def temperature(self) -> float | None:
        """Of sampling, that of an evaluation's ``_sampled`` policies; None for greedy."""
        return 1.0 if self.decoding == "sampled" else None


class SftConfig(Frozen):
    """Supervised training on episodes of a teacher."""

    teacher: str | None = None
    """Policy to imitate: a reference policy, a function `module:function` of (observation, memory), or `random`, which
    teaches to write actions and nothing else; null for the teacher that the environment declares; `self` for the best
    of a pretrained model's own episodes."""
    teacher_from: str | None = Field(None, min_length=1)
    """Folder of the environment that ships the teacher of the run's target; null for the target itself. A server
    hands no teacher out."""
    episodes: int = Field(400, ge=1)
    """Teacher's episodes, or those that the model flies itself, sampled."""
    keep: float = Field(0.25, gt=0, le=1)
    """Share of a model's own episodes that it learns from, the best by score in each stage; for `self` only."""
    noise: dict[str, Annotated[float, Field(ge=0, le=0.9)]] = Field(default_factory=dict)
    """For fields of the action, the share of decisions in which the field is the explorer's instead: traces then show
    how to recover. Of several environments, each has the noise of the fields that its action has."""
    explorer: str = Field("random", min_length=1)
    """Policy whose fields a noisy decision takes, named as the teacher is and shipped where it is. One that is right
    where the teacher is wrong shows what reinforcement may prefer; chance hardly ever does."""
    noise_together: bool = False
    """Whether the noisy fields of a decision are the explorer's together, by one draw: what needs two of them changed
    at once is hardly ever shown by noise in each by itself."""
    learn_noise: bool = True
    """Whether noisy decisions that the environment accepts are learned with the rest, so that reinforcement finds
    what the model sometimes says; or only shown, so that a model learns the teacher's own (DART, arXiv 1703.09327)."""
    shown_weight: float = Field(0.0, ge=0, le=1)
    """Weight of a token that the model is shown, beside 1 for one that the teacher said: a model made from scratch
    learns what numbers mean also by foreseeing the next observation."""
    max_steps: int = Field(600, ge=1)
    """Optimizer steps at most; validation may stop earlier."""
    batch: int = Field(16, ge=1)
    """Episodes in one optimizer step."""
    learning_rate: float = Field(3e-3, gt=0)
    """Peak learning rate."""
    warmup_steps: int = Field(20, ge=0)
    """Steps over which the learning rate rises."""
    length_warmup_steps: int = Field(0, ge=0)
    """Steps over which ever longer episodes join the shortest ones."""
    save_every: int = Field(100, ge=1)
    """Steps between two checkpoints to resume from."""
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
    """Learning rate of the last step, at most that of the first; linear between the two."""
    temperature: float = Field(1.0, gt=0)
    """Sampling temperature of training episodes."""
    clip_low: float = Field(0.2, gt=0, lt=1)
    """How far a token's probability ratio may fall below 1 before its gradient is cut."""
    clip_high: float = Field(0.28, gt=0)
    """How far it may rise above 1."""
    invalid_penalty: float = Field(0.5, ge=0)
    """Subtracted from the return, times the share of invalid replies; never part of a score."""
    credit: Literal["episode", "turn", "gigpo"] = "turn"
    """Whether advantages belong to the whole episode, to each turn by its return-to-go, or (GiGPO) to the episode
    and to its turns among those of the group that were decided in the same state."""
    potential_key: str = Field("progress", min_length=1)
    """Name in the metadata of the bounded potential of a state, for turn-level credit."""
    potential_weight: float = Field(0.5, ge=0)
    """Weight of the potential's change from a turn to the end, beside the final score."""
    anchor_key: str = Field("anchor", min_length=1)
    """Name in the metadata of the key of a state, for `gigpo`: any value, such as coarse telemetry; in an
    environment that offers none, states are the same where their text is."""
    step_weight: float = Field(1.0, ge=0)
    """Weight of the comparison among turns with the same anchor, beside that among episodes, for `gigpo`."""
    discount: float = Field(0.95, gt=0, le=1)
    """How much less a reward counts for each turn that it is away, for `gigpo`."""
    imitated: int = Field(0, ge=0)
    """Episodes of those that `sft` learned from that are learned again in each step, of stages that are still closed,
    which the reinforcement of others lets be forgotten; 0 for none."""
    imitation_weight: float = Field(0.1, gt=0)
    """Weight of their loss beside that of the step's own episodes."""
    save_every: int = Field(5, ge=1)
    """Steps between two checkpoints to resume from."""
    validate_every: int = Field(5, ge=1)
    """Steps between two validations; the best checkpoint by validation score is the result."""
    print_every: int = Field(5, ge=1)
    """Steps between two prints of raw actions."""

    @model_validator(mode="after")
    def _rate_does_not_rise(self) -> Self:
        if self.learning_rate_end > self.learning_rate:
            raise ValueError(
                f"learning_rate_end must be at most learning_rate ({self.learning_rate:g}), "
                f"not {self.learning_rate_end:g}"
            )
        return self


class Stage(Frozen):
    """One stage of a curriculum: tasks by their reset options."""

    name: str = Field(min_length=1)
    """What logs call it."""
    environment: str | None = Field(None, min_length=1)
    """Name of one of the training's further environments; null for the run's target."""
    options: TaskOptions
    """Reset options of its tasks; `index` is added."""
    tasks: int | None = Field(None, ge=1)
    """How many there are: after the last, the first is flown again; null where they never end."""
    weight: float = Field(1.0, gt=0)
    """Share of a step's tasks, relative to the other open stages."""
    taught: float | None = Field(None, gt=0)
    """Share of the teacher's episodes, relative to the other stages; null for its weight. Long missions that
    reinforcement hardly ever sees succeed are better taught."""
    noise: dict[str, Annotated[float, Field(ge=0, le=0.9)]] | None = None
    """Noise of the teacher's episodes in it; null for `sft.noise`. Short missions survive more of it than long ones."""


class EnvironmentConfig(Frozen):
    """A further environment of a training, beside the run's target; stages of the curriculum name it."""

    name: str = Field(pattern=r"^[\w.-]+$")
    """What stages and logs call it."""
    target: str = Field(min_length=1)
    """The environment: a folder, an import path `package.module:Class`, a server's URL, a Space (`hf:owner/name`), a
    git URL or a Gymnasium id (`gym:ID`)."""
    validation: TaskSource
    """Where its validation tasks come from, as many as the run's target has: the best model is chosen by the mean
    over all environments, in which each counts by the size of its own scores."""
    evaluation: TaskPlan = TaskPlan()
    """Which tasks `evaluate --environment` flies in it, with the policies of the run's evaluation."""
    success: str | None = Field(None, min_length=1)
    """What success is in it, as `rollout.success` says for the run's target."""
    teacher: str | None = Field(None, min_length=1)
    """Policy to imitate in it; null for `sft.teacher`, and where that is null too for the one that it declares."""
    teacher_from: str | None = Field(None, min_length=1)
    """Folder of the environment that ships its teacher; null for its own target."""


class CurriculumConfig(Frozen):
    """Stages from easy to hard; the next opens when the current one is going well enough."""

    stages: tuple[Stage, ...] = Field(min_length=1)
    """Stages in order; the first is open from the start and is the easiest variant."""
    open: int = Field(1, ge=1)
    """How many of them are open from the start, such as one of each environment."""
    promote_at: float = Field(0.30, ge=0, le=1)
    """Mean score on the current stage above which the next one opens."""
    demote_below: float = Field(0.10, ge=0, le=1)
    """Mean score under which training falls back to the stages that were open at the start."""
    demote_after_steps: int = Field(500, ge=1)
    """Steps before which it never falls back."""
    window_steps: int = Field(5, ge=1)
    """Steps over which the mean score is taken."""

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        names = [stage.name for stage in self.stages]
        if len(set(names)) < len(names):
            raise ValueError(f"stages must have different names, not {names}")
        if self.open > len(names):
            raise ValueError(f"open must be at most the {len(names)} stages, not {self.open}")
        if self.demote_below > self.promote_at:
            raise ValueError(
                f"demote_below must not be above promote_at ({self.promote_at}), "
                f"not {self.demote_below}"
            )
        return self


class WatchConfig(Frozen):
    """The watch against reward hacking in GRPO: the newest groups of a stage held against its first ones.

    A difference counts in its own standard errors, so that no threshold depends on the scale of a reward.
    """

    on_alarm: Literal["stop", "warn", "off"] = "warn"
    """Whether an alarm ends the training as NO-GO, is said and logged, or nothing is watched. Not `stop` by
    default: honest partial credit may rise for long before success does, and looks the same until then."""
    audit: Path | None = None
    """Folder of an audit whose exploits are watched for; null for the run's own folder, where that has one."""
    window: int = Field(16, ge=8)
    """Groups on either side of the comparison: the first of a stage, and the newest."""
    sure: float = Field(3.0, gt=0)
    """Standard errors by which a change is one."""
    success_rise: float = Field(1.5, ge=0)
    """Standard errors under which success did not rise."""
    success_fall: float = Field(2.0, ge=0)
    """Standard errors by which success fell: a return that rose meanwhile is an alarm at once."""
    patience: int = Field(8, ge=0)
    """Steps in a row in which the return may have risen and success not: honest partial credit looks like it."""
    enough: float = Field(0.9, gt=0, le=1)
    """Success rate from which none has to rise any more."""
    near: float = Field(0.1, ge=0, le=1)
    """Distance from an exploit, 0 to 1, within which a policy has become it."""
    nearer: float = Field(0.25, gt=0, le=1)
    """Share of the distance at the start by which a policy has come nearer, if it did so surely."""
    entropy_share: float = Field(0.05, ge=0, lt=1)
    """Share of the entropy at the start under which a policy hardly varies."""
    invalid_rate: float = Field(0.5, gt=0, le=1)
    """Share of refused replies from which a policy is broken, if it is surely more than at the start."""
    flat_groups: float = Field(0.9, gt=0, le=1)
    """Share of groups that are paid the same for all their episodes from which nothing is left to learn."""


class TrainConfig(Frozen):
    """The train station: SFT, then GRPO, either of them alone where the other is null."""

    validation: ValidationConfig
    """What chooses the checkpoint."""
    curriculum: CurriculumConfig
    """Which tasks training flies."""
    environments: tuple[EnvironmentConfig, ...] = ()
    """Further environments that the same model is trained in, beside the run's target."""
    micro_batch: int = Field(8, ge=1)
    """Episodes in one forward and backward pass at most; fewer take less memory and give the same step."""
    gradient_checkpointing: bool = False
    """Compute a block's activations again in the backward pass instead of keeping them: less memory, more time."""
    sft: SftConfig | None = None
    """Supervised part; null to skip it."""
    grpo: GrpoConfig | None = None
    """Reinforcement part; null to skip it."""
    watch: WatchConfig = WatchConfig()
    """Whether the reward is fooled while GRPO raises it."""

    @model_validator(mode="after")
    def _something_to_do(self) -> Self:
        if self.sft is None and self.grpo is None:
            raise ValueError("at least one of sft and grpo must be given")
        return self

    @model_validator(mode="after")
    def _something_to_imitate(self) -> Self:
        imitated = 0 if self.grpo is None else self.grpo.imitated
        if imitated and self.sft is None:
            raise ValueError(f"grpo.imitated must be 0 where sft is null, not {imitated}")
        if imitated and self.curriculum.open == len(self.curriculum.stages):
            raise ValueError(
                f"grpo.imitated must be 0 where all stages are open from the start, not {imitated}"
            )
        return self

    @model_validator(mode="after")
    def _environments_are_flown(self) -> Self:
        names = [each.name for each in self.environments]
        if len(set(names)) < len(names):
            raise ValueError(f"environments must have different names, not {names}")
        flown = {stage.name: stage.environment for stage in self.curriculum.stages}
        for stage, environment in flown.items():
            if environment is not None and environment not in names:
                raise ValueError(
                    f"stage {stage} must name one of environments, {names}, or none for the run's target, "
                    f"not {environment!r}"
                )
        idle = [name for name in names if name not in flown.values()]
        if idle:
            raise ValueError(f"each of environments must have a stage, and {idle[0]} has none")
        return self

    @model_validator(mode="after")
    def _teachers_teach(self) -> Self:
        named = [each.name for each in self.environments if each.teacher or each.teacher_from]
        if named and (self.sft is None or self.sft.teacher == "self"):
            raise ValueError(
                f"environment {named[0]} names a teacher, and "
                + ("sft is null" if self.sft is None else "sft.teacher is self, for all of them")
            )
        if any(each.teacher == "self" for each in self.environments):
            raise ValueError("teacher self is said once for all environments, in sft.teacher")
        return self
