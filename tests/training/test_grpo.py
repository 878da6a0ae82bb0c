"""GRPO through TRL: advantages at the tokens of their turn, what is imitated beside it, padding kept small."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

import torch
from tests.training.small_trainings import (
    Log,
    one_stage,
    scratch_config,
    trainee,
    with_a_closed_stage,
)
from torch.nn import functional as F
from transformers import get_scheduler

from gonogo.config import GrpoConfig
from gonogo.env.target import Target
from gonogo.models import saved as models
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.types import Connection
from gonogo.training.environments import SAMPLING
from gonogo.training.grpo import by_length, grpo_arguments
from gonogo.training.transcripts import taught


def test_what_is_taught_of_a_closed_stage_is_imitated_beside_reinforcement(
    tmp_path: Path, grid: Connection, target: Target, traces: list[Episode], pupil: Path
) -> None:
    """The first step's loss is that of the model as it was, and it falls; without, it does not."""

    def train(weight: float) -> list[float]:
        run = with_a_closed_stage(
            scratch_config(tmp_path / str(weight), target),
            imitated=6, imitation_weight=weight, learning_rate=3e-3,
        )  # fmt: skip
        log, speaker = Log(), models.load(pupil)
        trainee(run, grid, speaker, log).grpo(traces)
        return [row["imitation/loss"] for row in log.rows[1:]]

    speaker, total, said = models.load(pupil), 0.0, 0
    for episode in traces[
        1::2
    ]:  # stages of equal shares are taught in turn, and all six of one are drawn
        each = taught(episode, speaker.tokenizer, speaker.turns)
        ids, turn = torch.tensor([each.ids]), torch.tensor(each.turn[1:])
        with torch.no_grad():
            losses = F.cross_entropy(
                speaker.model(ids).logits[0, :-1], ids[0, 1:], reduction="none"
            )
        total += float(losses[turn >= 0].sum())
        said += int((turn >= 0).sum())
    imitated, hardly = train(3.0), train(1e-9)
    assert imitated[0] == hardly[0] == pytest.approx(total / said, rel=1e-4)
    assert imitated[-1] < hardly[-1]


def test_the_gradient_of_what_is_imitated_is_added_by_its_weight(
    tmp_path: Path, grid: Connection, target: Target, traces: list[Episode], pupil: Path
) -> None:
    """In a step's gradient norm: far heavier than the episodes' own, it grows as its weight does."""

    def norm(weight: float) -> float:
        run = with_a_closed_stage(
            scratch_config(tmp_path / str(weight), target),
            steps=1,
            imitated=6,
            imitation_weight=weight,
        )
        log = Log()
        trainee(run, grid, models.load(pupil), log).grpo(traces)
        (row,) = log.rows[1:]
        return float(row["grad_norm"])

    assert norm(2e4) == pytest.approx(2 * norm(1e4), rel=1e-2)


@pytest.mark.parametrize("kind", ["turn", "gigpo"])
def test_advantages_reach_the_tokens_of_their_turn(
    kind: Literal["turn", "gigpo"], tmp_path: Path, grid: Connection, target: Target, pupil: Path
) -> None:
    from gonogo.rollouts.summary import Losses
    from gonogo.training.credit import Credit, advantages
    from gonogo.training.curriculum import Curriculum
    from gonogo.training.grpo import GroupRollout
    from gonogo.training.training_loop import TrainingCallback, TrainingHooks

    run = scratch_config(tmp_path, target)
    assert run.train is not None and run.train.grpo is not None
    speaker = models.load(pupil)
    flyer = trainee(run, grid, speaker, Log())
    course = TrainingCallback(
        TrainingHooks("grpo", lambda: 0.0, lambda: None, lambda row: None, lambda: False, 1)
    )
    rollout = GroupRollout(
        lambda tasks, step: flyer.fly(tasks, "t", 1.0, SAMPLING, step),
        Curriculum(run.train.curriculum), run.train.grpo.model_copy(update={"credit": kind}),
        lambda step, said: None, course, Losses("flights", 8),
    )  # fmt: skip

    class State:
        global_step = 0

    class Trainer:
        state, processing_class = State(), speaker.tokenizer

    rows = rollout.rollout(["0"] * 4 + ["1"] * 4, Trainer())
    wide = max(map(len, rows["completion_ids"]))
    table = rollout.advantages(rows["turns"], wide).numpy()
    assert table.any()
    credit = Credit(kind, 0.5, 0.5)
    groups = advantages([rollout.episodes[:4], rollout.episodes[4:]], credit)
    for start, by_turn in zip((0, 4), groups, strict=True):
        for row, values in enumerate(by_turn, start=start):
            tokens = [-1, *rows["turns"][row]]  # the first token is TRL's prompt
            for column, turn in enumerate(tokens[1:]):
                wanted = values[turn] if turn >= 0 else 0.0
                assert table[row, column] == pytest.approx(wanted, abs=1e-6)
            assert (table[row, len(tokens) - 1 :] == 0).all()
            flown = [t for turn in rollout.episodes[row].turns if turn.tokens for t in
                     (*turn.tokens.prompt_ids, *turn.tokens.completion_ids)]  # fmt: skip
            assert rows["prompt_ids"][row] + rows["completion_ids"][row] == flown


def test_micro_batches_hold_every_row_once_without_padding() -> None:
    lengths = torch.tensor([3, 7, 1, 5])
    mask = (torch.arange(7) < lengths[:, None]).long()
    batch = {
        "prompt_ids": torch.arange(4)[:, None],
        "completion_ids": torch.arange(28).view(4, 7),
        "completion_mask": mask,
        "num_items_in_batch": torch.tensor(9),
    }
    first, second = by_length(batch, 2)
    assert first["prompt_ids"][:, 0].tolist() == [2, 0]
    assert second["prompt_ids"][:, 0].tolist() == [3, 1]
    assert first["completion_ids"].shape == (2, 3)
    assert second["completion_ids"].shape == (2, 7)
    assert first["completion_ids"][1].tolist() == [0, 1, 2]
    assert first["num_items_in_batch"] == 9


def test_a_constant_rate_is_one() -> None:
    """Transformers' polynomial refuses to end at its beginning, after the whole SFT."""
    grpo = GrpoConfig(learning_rate=1e-4, learning_rate_end=1e-4)
    arguments = grpo_arguments(grpo, one_stage(grpo=grpo), Path("out"), 0, 16)
    optimizer = torch.optim.AdamW([torch.zeros(1)], lr=arguments.learning_rate)
    rate = get_scheduler(
        arguments.lr_scheduler_type, optimizer, num_warmup_steps=0, num_training_steps=3
    )
    rates = []
    for _ in range(3):
        rates += rate.get_last_lr()
        optimizer.step()
        rate.step()
    assert rates == [1e-4] * 3
