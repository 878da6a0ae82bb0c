"""Supervised training on transcripts: its loss, SFT through TRL, and a little of it beside reinforcement.

The loss is on the model's own replies only, and padding is kept small. Batches are cut from runs of similar length, in
an order drawn once from the seed, so that a resumed run sees the same batches.

Reinforcement flies the open stages of a curriculum only, and what a model was taught for the others is soon
overwritten. :class:`Imitation` hands out, at each step, transcripts of the stages that are still closed, whose loss is
added to that of GRPO, as PPO-ptx adds pretraining's (arXiv 2203.02155).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from datasets import Dataset
from torch.nn import functional as F
from trl import SFTConfig as TrainerConfig
from trl import SFTTrainer

from gonogo.config import SftConfig, TrainConfig
from gonogo.models.forwards import inner
from gonogo.models.tokenizer import Speaker
from gonogo.training.processes import Ranks, through
from gonogo.training.training_loop import Durable, TrainingCallback, trainer_arguments
from gonogo.training.transcripts import Transcript

POOL = 8
"""Batches that are sorted by length together."""
SHORTEST = 0.2
"""Share of the transcripts, the shortest, with which a warmup by length begins."""
SHOWN = -100
"""Label of a token that the model is shown, or that only pads: the one that torch's cross-entropy ignores."""


def batches(
    lengths: Sequence[int], batch: int, steps: int, rng: np.random.Generator, warmup: int = 0
) -> list[int]:
    """Indices for all steps: passes over the data, each batch of similar lengths.

    Args:
        lengths: Of the transcripts, in tokens.
        batch: Transcripts of a step.
        steps: How many.
        rng: Draws the order.
        warmup: Steps before the first pass, in which ever longer transcripts join the :data:`SHORTEST`, those seen
            least often first (sequence length warmup, arXiv 2108.06084).
    """
    order: list[int] = []
    ranked, seen = np.argsort(lengths, kind="stable"), np.zeros(len(lengths), int)
    while len(order) < batch * min(warmup, steps):
        share = SHORTEST + (1 - SHORTEST) * len(order) / (batch * warmup)
        among = ranked[: max(1, int(share * len(lengths)))]
        least = np.lexsort((rng.random(len(among)), seen[among]))
        chosen = among[least[: batch * POOL]]
        seen[chosen] += 1
        order += _grouped(chosen, lengths, batch, rng)
    while len(order) < batch * steps:
        order += _grouped(rng.permutation(len(lengths)), lengths, batch, rng)
    return order[: batch * steps]


def _grouped(
    shuffled: np.ndarray, lengths: Sequence[int], batch: int, rng: np.random.Generator
) -> list[int]:
    """The same indices, cut into batches of similar lengths; what fills no batch is left out."""
    groups = []
    for start in range(0, len(shuffled), batch * POOL):
        pool = sorted(shuffled[start : start + batch * POOL], key=lambda i: lengths[i])
        groups += [pool[first : first + batch] for first in range(0, len(pool), batch)]
    whole = [group for group in groups if len(group) == batch]
    if not whole:  # fewer transcripts than one batch holds
        whole = [list(rng.choice(shuffled, size=batch))]
    return [int(index) for group in rng.permutation(len(whole)) for index in whole[group]]


class TranscriptTrainer(Durable, SFTTrainer):
    """TRL's SFT trainer with a fixed order and a loss that touches only tokens that have a weight.

    Args:
        args: TRL's.
        order: Of the transcripts.
        shown_weight: Of a token without a label, beside 1 for one with; padding has none.
        kwargs: TRL's.
    """

    def __init__(
        self, *args: Any, order: Sequence[int], shown_weight: float, **kwargs: Any
    ) -> None:
        self._order, self._shown_weight = order, shown_weight
        super().__init__(*args, **kwargs)

    def _get_train_sampler(self, train_dataset: Any = None) -> Sequence[int]:
        return self._order

    def compute_loss(
        self,
        model: Any,
        inputs: dict[str, torch.Tensor],
        return_outputs: bool = False,
        num_items_in_batch: Any = None,
    ) -> Any:
        """Weighted cross-entropy, summed over the batch, by its labelled tokens, of all processes together."""
        labels = inputs["labels"]
        loss = imitation_loss(
            model,
            self.accelerator.unwrap_model(model),
            inputs["input_ids"],
            labels,
            pad=self.processing_class.pad_token_id,
            shown_weight=self._shown_weight,
        )
        if num_items_in_batch is None:
            return loss / (labels[:, 1:] != SHOWN).sum()
        # The count is of all processes, whose gradients are averaged and not summed.
        return loss * self.accelerator.num_processes / num_items_in_batch


def sft_arguments(
    config: SftConfig, train: TrainConfig, folder: Path, seed: int, rows: int
) -> TrainerConfig:
    """What TRL's trainer is told; from the same as :func:`~gonogo.training.training_loop.trainer_arguments`."""
    return trainer_arguments(
        TrainerConfig,
        config,
        train,
        folder,
        seed,
        rows,
        max_steps=config.max_steps,
        lr_scheduler_type="cosine",
        warmup_steps=config.warmup_steps,
        max_length=None,
        dataset_kwargs={"skip_prepare_dataset": True},
    )


def train_sft(
    speaker: Speaker,
    transcripts: Sequence[Transcript],
    config: SftConfig,
    course: TrainingCallback,
    folder: Path,
    seed: int,
    train: TrainConfig,
) -> None:
    """Train in place, from the newest checkpoint in the folder if there is one.

    Args:
        speaker: The model.
        transcripts: Of the teacher.
        config: How long and how fast.
        course: Watches.
        folder: For checkpoints.
        seed: Of the order of batches.
        train: How a batch goes through the model.
    """
    rows = [{"input_ids": list(each.ids), "labels": labels_of(each)} for each in transcripts]
    lengths = [len(each.ids) for each in transcripts]
    batch = Ranks().share(config.batch, "train.sft.batch")
    rng, warmup = np.random.default_rng(seed), config.length_warmup_steps
    trainer = TranscriptTrainer(
        speaker.model,
        sft_arguments(config, train, folder, seed, batch),
        train_dataset=Dataset.from_list(rows),
        processing_class=speaker.tokenizer,
        course=course,
        order=batches(lengths, config.batch, config.max_steps, rng, warmup),
        shown_weight=config.shown_weight,
    )
    trainer.go_on()
    speaker.model.eval()


def labels_of(transcript: Transcript) -> list[int]:
    """For each token, itself where the model is to say it, else :data:`SHOWN`."""
    pairs = zip(transcript.ids, transcript.turn, strict=True)
    return [token if number >= 0 else SHOWN for token, number in pairs]


def padded(transcripts: Sequence[Transcript], pad: int) -> tuple[torch.Tensor, torch.Tensor]:
    """(transcripts, tokens) ids and labels, padded on the right."""
    width = max(len(each.ids) for each in transcripts)
    ids = torch.full((len(transcripts), width), pad)
    labels = torch.full((len(transcripts), width), SHOWN)
    for row, each in enumerate(transcripts):
        ids[row, : len(each.ids)] = torch.tensor(each.ids)
        labels[row, : len(each.ids)] = torch.tensor(labels_of(each))
    return ids, labels


def imitation_loss(
    wrapped: Any,
    model: Any,
    ids: torch.Tensor,
    labels: torch.Tensor,
    *,
    pad: int,
    shown_weight: float = 0.0,
) -> torch.Tensor:
    """Cross-entropy summed over the labelled tokens; the head runs on the tokens alone that have a weight.

    Args:
        wrapped: The model as the trainer has it.
        model: The model itself.
        ids: (rows, tokens), padded on the right, so that plain causal attention is exact without a mask.
        labels: (rows, tokens), :data:`SHOWN` where a token is not to be said.
        pad: Token that pads, which has no weight.
        shown_weight: Of a token without a label, beside 1 for one with.
    """
    base, said = inner(model), labels[:, 1:] != SHOWN

    def summed(hidden: torch.Tensor, ids: torch.Tensor, where: torch.Tensor) -> torch.Tensor:
        logits = base.get_output_embeddings()(hidden[:, :-1][where]).float()
        return F.cross_entropy(logits, ids[:, 1:][where], reduction="sum")

    def loss_of(ids: torch.Tensor) -> torch.Tensor:
        hidden = base.base_model(input_ids=ids, use_cache=False).last_hidden_state
        loss = summed(hidden, ids, said)
        if shown_weight:
            shown = ~said & (ids[:, 1:] != pad)
            loss = loss + shown_weight * summed(hidden, ids, shown)
        return loss

    loss: torch.Tensor = through(wrapped, model, loss_of, ids)
    return loss


@dataclass(frozen=True, slots=True)
class Imitation:
    """What is learned from a teacher beside reinforcement.

    Attributes:
        transcripts: Each with the number of the stage that it is of.
        closed: Whether a stage is closed now.
        count: Transcripts of a step.
        weight: Of their loss, a mean over the tokens to say, beside that of GRPO.
        stream: What each step's random stream is made from, with the step's number.
    """

    transcripts: Sequence[tuple[int, Transcript]]
    closed: Callable[[int], bool]
    count: int
    weight: float
    stream: tuple[int, ...]

    def draw(self, step: int) -> list[Transcript]:
        """A step's transcripts, shortest first; none where all stages are open.

        Args:
            step: The step's number, which names the random stream: a resumed run draws the same.
        """
        among = [transcript for stage, transcript in self.transcripts if self.closed(stage)]
        if not among:
            return []
        rng = np.random.default_rng([*self.stream, step])
        chosen = rng.choice(len(among), size=self.count, replace=len(among) < self.count)
        return sorted((among[number] for number in chosen), key=lambda each: len(each.ids))
