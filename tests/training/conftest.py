"""What trainings start from: a teacher's episodes, a model that has learned from some, a chat model."""

from __future__ import annotations

from pathlib import Path

import pytest

from gonogo.env.target import Target
from gonogo.rollouts.action_codec import Codec
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.types import Connection


@pytest.fixture(scope="module")
def traces(
    tmp_path_factory: pytest.TempPathFactory, grid: Connection, target: Target
) -> list[Episode]:
    from tests.env.opening import opened
    from tests.training.small_trainings import Log, scratch_config

    from gonogo.training.curriculum import TrainingTask
    from gonogo.training.teachers import fly_teacher

    run = scratch_config(tmp_path_factory.mktemp("traces"), target)
    assert run.train is not None and run.train.sft is not None
    tasks = [TrainingTask({"split": "train", "index": n}) for n in range(12)]
    return fly_teacher(
        run, run.train.sft, run.train.curriculum.stages, tasks, opened(run, grid), Log().observer()
    )


@pytest.fixture(scope="module")
def pupil(
    tmp_path_factory: pytest.TempPathFactory,
    grid: Connection,
    target: Target,
    traces: list[Episode],
) -> Path:
    """A model that knows some of the teacher's words, so that its episodes differ."""
    from tests.training.small_trainings import Log, scratch_config, trainee

    from gonogo.models.saved import model_folder
    from gonogo.training.trainer import new_speaker

    run = scratch_config(tmp_path_factory.mktemp("pupil"), target)
    assert run.train is not None and run.train.sft is not None
    sft = run.train.sft.model_copy(
        update={"max_steps": 60, "learning_rate": 1e-2, "validate_every": 60}
    )
    trainee(run, grid, new_speaker(run, traces, ""), Log()).sft(sft, traces)
    return model_folder(run.out, "sft")


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chat model's folder."""
    from tests.training.small_trainings import chat_folder

    return chat_folder(tmp_path_factory.mktemp("hub") / "chat")


@pytest.fixture(scope="module")
def told(grid: Connection) -> str:
    """What a chat model is told before the first observation."""
    return Codec(grid.schemas.action, grid.schemas.observation).instructions()
