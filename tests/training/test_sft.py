"""The loss of supervised training, its batches, and what is imitated beside reinforcement."""

from __future__ import annotations

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

from pathlib import Path

import numpy as np
import torch
from tests.training.small_trainings import Log, scratch_config, trainee
from torch.nn import functional as F

from gonogo.env.target import Target
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.types import Connection
from gonogo.training.sft import SHOWN, Imitation, batches, padded
from gonogo.training.trainer import new_speaker
from gonogo.training.transcripts import Transcript, taught


@pytest.mark.parametrize(("weight", "learn_noise"), [(0.0, True), (0.25, True), (0.25, False)])
def test_the_loss_of_sft_is_that_of_what_is_learned_and_of_shown_tokens_by_their_weight(
    tmp_path: Path,
    grid: Connection,
    target: Target,
    traces: list[Episode],
    weight: float,
    learn_noise: bool,
) -> None:
    run = scratch_config(tmp_path, target)
    assert run.train is not None and run.train.sft is not None
    assert any(turn.noisy for episode in traces for turn in episode.turns)
    sft = run.train.sft.model_copy(
        update={
            "max_steps": 1, "batch": len(traces), "shown_weight": weight, "learn_noise": learn_noise
        }
    )  # fmt: skip
    log, speaker = Log(), new_speaker(run, traces, "")
    total, said = 0.0, 0
    for episode in traces:
        each = taught(episode, speaker.tokenizer, speaker.turns, noise=learn_noise)
        ids, turn = torch.tensor([each.ids]), torch.tensor(each.turn[1:])
        with torch.no_grad():
            losses = F.cross_entropy(
                speaker.model(ids).logits[0, :-1], ids[0, 1:], reduction="none"
            )
        total += float((losses * torch.where(turn >= 0, 1.0, weight)).sum())
        said += int((turn >= 0).sum())
    trainee(run, grid, speaker, log).sft(sft, traces)
    (loss,) = [row["loss"] for row in log.rows if "loss" in row]
    assert loss == pytest.approx(total / said, rel=1e-4)


@pytest.mark.parametrize(("count", "batch"), [(40, 4), (37, 8), (3, 4)])
def test_batches_are_of_similar_length_and_repeat_from_the_seed(count: int, batch: int) -> None:
    lengths = list(np.random.default_rng(1).integers(1, 500, count))
    order = batches(lengths, batch, 6, np.random.default_rng(2))
    assert order == batches(lengths, batch, 6, np.random.default_rng(2))
    assert len(order) == 6 * batch and set(order) <= set(range(count))
    if count == 40:
        spread = np.ptp(np.array(lengths)[order].reshape(6, batch), axis=1).mean()
        assert spread < np.ptp(lengths) / 3


def test_a_warmup_by_length_begins_with_the_shortest_and_ends_with_all() -> None:
    lengths = list(np.random.default_rng(1).permutation(1000) + 1)
    order = batches(lengths, 2, 300, np.random.default_rng(2), warmup=200)
    assert order == batches(lengths, 2, 300, np.random.default_rng(2), warmup=200)
    assert order != batches(lengths, 2, 300, np.random.default_rng(2))
    first, last, after = (np.array(lengths)[order[start : start + 40]] for start in (0, 360, 400))
    assert max(first) < 300 and max(last) > 800 and max(after) > 900
    # Nothing is shown twice as long as something else has not been.
    assert len(set(order[:400])) == 400


def test_a_warmup_by_length_is_no_longer_than_the_training() -> None:
    order = batches([5, 3, 9], 4, 6, np.random.default_rng(2), warmup=100)
    assert len(order) == 24 and set(order) == {1}


def test_what_is_shown_and_what_pads_has_no_label() -> None:
    short, long = Transcript((7, 8), (-1, 0), ()), Transcript((4, 5, 6), (-1, 0, -1), ())
    ids, labels = padded([short, long], pad=9)
    assert ids.tolist() == [[7, 8, 9], [4, 5, 6]]
    assert labels.tolist() == [[SHOWN, 8, SHOWN], [SHOWN, 5, SHOWN]]


def test_imitated_are_those_of_closed_stages_and_the_same_again_for_a_step() -> None:
    transcripts = [
        (number % 3, Transcript((1,) * (number + 1), (0,) * (number + 1), ()))
        for number in range(9)
    ]
    opened = 1
    imitation = Imitation(transcripts, lambda stage: stage >= opened, 4, 0.1, (5, 6))
    seen = {len(each.ids) - 1 for step in range(20) for each in imitation.draw(step)}
    assert seen == {1, 2, 4, 5, 7, 8}
    first = imitation.draw(1)
    assert imitation.draw(1) == first != imitation.draw(2)
    assert first == sorted(first, key=lambda each: len(each.ids)) and len(first) == 4
    opened = 2
    assert len(imitation.draw(1)) == 4  # of three, one of them twice
    opened = 3
    assert imitation.draw(1) == []
