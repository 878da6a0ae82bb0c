"""Imitation of transcripts: the loss of SFT, and a little of it beside reinforcement.

Reinforcement flies the open stages of a curriculum only, and what a model was taught for the others is soon
overwritten. :class:`Imitation` hands out, at each step, transcripts of the stages that are still closed, whose loss is
added to that of GRPO, as PPO-ptx adds pretraining's (arXiv 2203.02155).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

from gonogo.models.lora import inner
from gonogo.training.processes import through
from gonogo.training.transcripts import Transcript

__all__ = ["SHOWN", "Imitation", "imitation_loss", "labels_of", "padded"]

SHOWN = -100
"""Label of a token that the model is shown, or that only pads: the one that torch's cross-entropy ignores."""


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
