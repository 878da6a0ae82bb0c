"""Small trainings on the zoo's gridworld: of a model made from scratch, and of a tiny chat model with LoRA."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

import torch
from tests.env.opening import opened

from gonogo.config import (
    CurriculumConfig,
    ModelConfig,
    RunConfig,
    Stage,
    TaskSource,
    TrainConfig,
    ValidationConfig,
)
from gonogo.env.target import Target
from gonogo.models import saved as models
from gonogo.models.tokenizer import Speaker, train_tokenizer
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.types import Connection
from gonogo.training.curriculum import TrainingTask
from gonogo.training.teachers import fly_teacher
from gonogo.training.tracking import TrainingObserver
from gonogo.training.trainer import Trainee
from gonogo.wire import JsonObject as Json

CHAT = (
    "{% for m in messages %}<|{{ 'user' if m.role == 'system' else m.role }}|>{{ m.content }}<|end|>"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


TEXTS = [f"you are at ({n % 5}, {n // 5}), moves left {n}" for n in range(99)] + [
    '{"move":"north"}'
]


def chat_folder(folder: Path, width: int = 32, **changes: Any) -> Path:
    """A tiny chat model from nowhere, as the hub would give it."""
    tokenizer = train_tokenizer(TEXTS, 320)
    shape = ModelConfig(hidden=width, intermediate=2 * width, layers=2, heads=2, context=4096)
    made = models.make(shape, tokenizer, 7)
    tokenizer.chat_template = CHAT
    for name, value in changes.items():
        setattr(tokenizer, name, value)
    made.model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def chat_config(out: Path, target: Target, model: Json, train: Json, turns: int = 4) -> RunConfig:
    """Of any model, by the phases that are given."""
    return RunConfig.model_validate_json(
        json.dumps(
            {
                "target": str(target), "out": str(out), "seed": 5, "model": model,
                "rollout": {"slots": 8, "max_turns": turns, "max_reply_tokens": 12},
                "train": {
                    "validation": {"tasks": {"options": {"split": "train"}, "start": 900}, "episodes": 4},
                    "curriculum": {"stages": [{"name": "all", "options": {"split": "train"}}]},
                    **train,
                },
            }
        )
    )  # fmt: skip


SFT = {"episodes": 12, "max_steps": 4, "batch": 4, "warmup_steps": 1, "validate_every": 2}


GRPO = {"steps": 4, "tasks_per_step": 2, "group_size": 4, "validate_every": 2, "save_every": 4}


def one_stage(**how: Any) -> TrainConfig:
    """A training with one stage and one validation task."""
    validation = ValidationConfig(tasks=TaskSource(options={}), episodes=1)
    curriculum = CurriculumConfig(stages=(Stage(name="all", options={}),))
    return TrainConfig(validation=validation, curriculum=curriculum, **how)


class Log:
    """Rows and shown replies; asks to stop after so many rows."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.rows: list[Json] = []
        self.shown: list[list[Episode]] = []
        self.stop_after = stop_after

    def observer(self) -> TrainingObserver:
        return TrainingObserver(
            lambda row: self.rows.append(row.line),
            lambda _, said: self.shown.append(said),
            self.stop,
            lambda *_: None,
        )

    def stop(self) -> bool:
        return self.stop_after is not None and len(self.rows) >= self.stop_after

    def curve(self) -> list[Json]:
        return [{k: v for k, v in row.items() if k != "seconds"} for row in self.rows]


def train(run: RunConfig, speaker: Speaker, grid: Connection, log: Log) -> Trainee:
    assert run.train is not None
    trainee = Trainee(run, run.train, opened(run, grid), speaker, run.out, log.observer())
    if run.train.sft is not None:
        tasks = [
            TrainingTask({"split": "train", "index": n}) for n in range(run.train.sft.episodes)
        ]
        traces = fly_teacher(
            run,
            run.train.sft,
            run.train.curriculum.stages,
            tasks,
            opened(run, grid),
            log.observer(),
        )
        trainee.sft(run.train.sft, traces)
    else:
        trainee.grpo()
    return trainee


def factors(speaker: Speaker) -> dict[str, torch.Tensor]:
    return {
        name: weight.detach().clone()
        for name, weight in speaker.model.named_parameters()
        if weight.requires_grad
    }


def frozen(speaker: Speaker) -> dict[str, torch.Tensor]:
    return {
        name: weight.detach().clone()
        for name, weight in speaker.model.named_parameters()
        if not weight.requires_grad
    }


def scratch_config(out: Path, target: Target) -> RunConfig:
    """Of a model made from scratch, by SFT and GRPO."""
    text = f"""{{
      "target": "{target}", "out": "{out}", "seed": 5,
      "model": {{"hidden": 32, "intermediate": 48, "layers": 2, "heads": 2, "vocabulary": 300}},
      "rollout": {{"slots": 8, "max_turns": 4, "max_reply_tokens": 16}},
      "train": {{
        "validation": {{"tasks": {{"options": {{"split": "train"}}, "start": 900}}, "episodes": 4}},
        "curriculum": {{"stages": [{{"name": "all", "options": {{"split": "train"}}}}]}},
        "sft": {{"episodes": 12, "noise": {{"move": 0.1}},
          "max_steps": 4, "batch": 4, "warmup_steps": 1, "validate_every": 2}},
        "grpo": {{"steps": 4, "tasks_per_step": 2, "group_size": 4, "validate_every": 2, "save_every": 4}}
      }}
    }}"""
    return RunConfig.model_validate_json(text)


def trainee(run: RunConfig, grid: Connection, speaker: Speaker, log: Log) -> Trainee:
    assert run.train is not None
    return Trainee(run, run.train, opened(run, grid), speaker, run.out, log.observer())


def weights(speaker: Speaker) -> dict[str, Any]:
    return {name: value.clone() for name, value in speaker.model.state_dict().items()}


def with_a_closed_stage(run: RunConfig, **grpo: object) -> RunConfig:
    """Half of what is taught is of a stage that is never opened, and imitated beside reinforcement."""
    assert run.train is not None and run.train.grpo is not None
    (stage,) = run.train.curriculum.stages
    curriculum = run.train.curriculum.model_copy(
        update={"stages": (stage, stage.model_copy(update={"name": "closed"})), "promote_at": 1.0}
    )
    train = run.train.model_copy(
        update={"curriculum": curriculum, "grpo": run.train.grpo.model_copy(update=grpo)}
    )
    return run.model_copy(update={"train": train})
