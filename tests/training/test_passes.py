"""How a step's episodes go through the model: as many at once as the memory holds, and the same step."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

from tests.training.small_trainings import (
    SFT,
    Log,
    chat_config,
    train,
)

from gonogo.env.target import Target
from gonogo.rollouts.types import Connection
from gonogo.training.passes import Passes
from gonogo.training.trainer import new_speaker


def test_checkpointing_and_small_passes_give_the_same_step(
    chat: Path, tmp_path: Path, grid: Connection, target: Target, told: str
) -> None:
    model = {"pretrained": str(chat), "lora": {"rank": 4, "alpha": 8}}
    losses = []
    for name, how in (("all", {}), ("few", {"micro_batch": 1, "gradient_checkpointing": True})):
        run, log = chat_config(tmp_path / name, target, model, {"sft": SFT, **how}), Log()
        train(run, new_speaker(run, [], told), grid, log)
        losses.append([row["loss"] for row in log.rows if "loss" in row])
    assert losses[0] == pytest.approx(losses[1], abs=1e-5)


@pytest.mark.parametrize(
    ("most", "rows", "count"),
    [(8, 16, 2), (8, 12, 2), (8, 7, 1), (4, 7, 7), (1, 3, 3), (99, 5, 1)],
)
def test_a_step_goes_through_in_as_few_equal_passes_as_the_memory_holds(
    most: int, rows: int, count: int
) -> None:
    passes = Passes(most, checkpointing=False)
    assert passes.count(rows) == count
    words = passes.words(rows)
    assert words["per_device_train_batch_size"] * words["gradient_accumulation_steps"] == rows
    assert words["per_device_train_batch_size"] <= most
    assert words["gradient_checkpointing_kwargs"] is None


def test_checkpointing_is_not_the_kind_that_wants_a_gradient_of_the_input() -> None:
    words = Passes(2, checkpointing=True).words(2)
    assert words["gradient_checkpointing"] is True
    assert words["gradient_checkpointing_kwargs"] == {"use_reentrant": False}
