"""Whether what says a model's replies computes what the model does: log-probabilities, held against its own forward."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from gonogo.errors import PolicyFailure
from gonogo.models.replies import Replies

__all__ = ["CHECK_TOKENS", "ROUNDING", "drift_of"]

ROUNDING = 0.1
"""Most that log-probabilities may differ on average: in bf16 a cache drifts by about 0.02."""
CHECK_TOKENS = 24
"""Tokens of a reply that is compared."""


def drift_of(model: Any, replies: Replies, temperature: float | None = None) -> float:
    """Fly two short turns and hold the log-probabilities of what was said against the model's own.

    Args:
        model: It; left as it was.
        replies: What says :data:`CHECK_TOKENS` tokens a turn, at this temperature.
        temperature: Of sampling; None for greedy.

    Returns:
        The larger of the turns' mean differences.

    Raises:
        PolicyFailure: There was no reply.
    """
    replies.begin(0, None if temperature is None else np.random.default_rng(0))
    training = model.training
    model.eval()
    try:
        return max(turn_drifts(model, replies, temperature))
    finally:
        model.train(training)
        replies.end([0])


def turn_drifts(model: Any, replies: Replies, temperature: float | None) -> list[float]:
    """The mean difference of each turn."""
    history: list[int] = []
    drifts = []
    for shown in (range(10, 30), range(30, 40)):
        history += shown
        said = replies.reply({0: tuple(shown)})[0]
        if isinstance(said, PolicyFailure):
            raise said
        ids = torch.tensor([[*history, *said.ids]], device=model.device)
        with torch.inference_mode():
            logits = model(input_ids=ids, use_cache=False).logits[0].float()
        scores = (logits / (temperature or 1.0)).log_softmax(-1)
        where = torch.arange(len(history) - 1, len(history) + len(said.ids) - 1)
        forced = scores[where.to(ids.device), ids[0, len(history) :]].cpu()
        drifts.append((forced - torch.tensor(said.logprobs)).abs().mean().item())
        history += said.ids
    return drifts
