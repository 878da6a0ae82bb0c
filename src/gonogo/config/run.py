"""One run: the environment, the model, and what each station does."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from gonogo.config.base import ConfigFields, Frozen
from gonogo.config.check import CheckConfig
from gonogo.config.flying import AuditConfig, EvaluationConfig, MapConfig, RolloutConfig
from gonogo.config.probe import ProbeConfig
from gonogo.config.theme import WORDS, ThemeConfig
from gonogo.config.training import ModelConfig, TrainConfig
from gonogo.errors import ConfigError

__all__ = ["RunConfig"]

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
    """The environment: a folder, an import path `package.module:Class`, or a server's URL."""
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
            Values of fields by their dotted names, as :func:`~gonogo.config.loading.load` takes them.

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
