"""What says a model's replies, in token ids, and whether it computes what the model does.

:class:`Replies` is the interface of the decoder, which other programs can stand in for; :func:`drift_of` holds the
log-probabilities that one gives against the model's own forward.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from gonogo.errors import PolicyFailure


@dataclass(frozen=True, slots=True)
class Sampled:
    """One reply's tokens.

    Attributes:
        ids: As sampled, the stop token included where the model produced it.
        logprobs: Of each token under the distribution that it was drawn from. For greedy decoding,
            under the model's own at temperature 1.
    """

    ids: tuple[int, ...]
    logprobs: tuple[float, ...]


class Replies(Protocol):
    """What says the replies of many episodes, keyed by slot: gonogo's own decoder, or another program.

    Attributes:
        most: Most episodes at once, or None.
    """

    most: int | None

    def begin(self, slot: int, stream: np.random.Generator | None = None) -> None:
        """A new episode; its draws come from the stream."""
        ...

    def end(self, slots: Iterable[int]) -> None:
        """These episodes have ended; unknown slots are none of its business."""
        ...

    def room(self, slot: int, chunk: int) -> bool:
        """Whether a chunk of so many tokens and the longest reply still fit the model's context."""
        ...

    def reply(self, chunks: Mapping[int, Sequence[int]]) -> Mapping[int, Sampled | PolicyFailure]:
        """A reply to each chunk of new tokens, or why there is none, which loses the episode."""
        ...


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
    import torch

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
