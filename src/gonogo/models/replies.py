"""What says a model's replies, in token ids: the interface of the decoder, which other programs can stand in for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from gonogo.errors import PolicyFailure

__all__ = ["Replies", "Sampled"]


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
