"""The decoder: many episodes in lock step over one key-value cache that lives through each episode.

A row of the cache belongs to one episode; column ``p`` of a row holds its token ``p``. A turn feeds
only what is new (the end of the last reply, the observation) and then samples token by token, so a
turn costs its own tokens and never the history's. Padding to the right of a row's chunk is written
beyond the row's end, where no query looks and the next token overwrites it: nothing is ever masked
in the middle. Rows whose episodes ended leave the batch; the last rows move into their places.

Each episode draws from its own random stream, so that what it says does not depend on who else is
in the batch (up to rounding: matrix products of other shapes sum in another order). Token ids are
kept from sampling to loss. Nothing here knows a tokenizer, a chat template or an environment; how
tokens become logits is a :class:`Forward`, passed in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch

from gonogo.errors import Misuse, PolicyFailure

__all__ = ["Decoder", "Forward", "RowCache", "Sampled"]

COLUMNS = 256
"""The cache grows by this many columns at a time."""


class RowCache:
    """Keys and values of all layers, one row an episode, one column a token.

    It has the ``update`` of a transformers cache, so that a model's own attention can write to it.

    Args:
        layers: Number of attention layers.
        heads: Key-value heads of each.
        width: Dimension of a head.
        dtype: Of keys and values.
        device: Where they live.
    """

    def __init__(
        self, layers: int, heads: int, width: int, dtype: torch.dtype, device: torch.device
    ) -> None:
        self._heads, self._width = heads, width
        self._dtype, self._device = dtype, device
        empty = torch.zeros((0, heads, 0, width), dtype=dtype, device=device)
        self.keys = [empty] * layers  # each (rows, heads, columns, width)
        self.values = [empty] * layers
        self._index: tuple[torch.Tensor, torch.Tensor] | None = None
        self._columns = 0

    def reserve(self, rows: int, columns: int) -> None:
        """Make room; what is stored stays."""
        have_rows, _, have_columns, _ = self.keys[0].shape
        if rows <= have_rows and columns <= have_columns:
            return
        rows = max(rows, have_rows)
        columns = max(-(-columns // COLUMNS) * COLUMNS, have_columns)
        for store in (self.keys, self.values):
            for layer, old in enumerate(store):
                shape = (rows, self._heads, columns, self._width)
                new = torch.zeros(shape, dtype=self._dtype, device=self._device)
                new[:have_rows, :, :have_columns] = old
                store[layer] = new

    def aim(self, positions: torch.Tensor, columns: int) -> None:
        """Say where the next forward pass writes and how far it reads.

        Args:
            positions: (rows, new tokens), the column of each new token.
            columns: Number of columns that attention looks at.
        """
        rows = torch.arange(positions.shape[0], device=positions.device)
        self._index = (rows[:, None], positions)
        self._columns = columns

    def update(
        self, key: torch.Tensor, value: torch.Tensor, layer: int, *_: Any, **__: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Write a layer's new keys and values and answer all that is visible.

        Args:
            key: (rows, heads, new tokens, width).
            value: Same shape.
            layer: Which layer.

        Returns:
            Keys and values, each (rows, heads, columns, width).

        Raises:
            RuntimeError: :meth:`aim` has not been called.
        """
        if self._index is None:
            raise RuntimeError("aim the cache before a forward pass")
        rows, positions = self._index
        keys, values = self.keys[layer], self.values[layer]
        keys[rows, :, positions] = key.transpose(1, 2)
        values[rows, :, positions] = value.transpose(1, 2)
        count = positions.shape[0]
        return keys[:count, :, : self._columns], values[:count, :, : self._columns]

    @torch.inference_mode()
    def move(self, source: int, target: int, length: int) -> None:
        """Copy the first ``length`` columns of one row over another."""
        for store in (*self.keys, *self.values):
            store[target, :, :length] = store[source, :, :length]


class Forward(Protocol):
    """How tokens become logits: a model's forward pass over a :class:`RowCache`.

    Attributes:
        context: Most tokens that an episode may have.
        device: Where its inputs have to be.
    """

    context: int
    device: torch.device

    def new_cache(self) -> RowCache:
        """An empty cache of the model's shape."""
        ...

    def __call__(
        self,
        ids: torch.Tensor,
        positions: torch.Tensor,
        mask: torch.Tensor,
        last: torch.Tensor,
        cache: RowCache,
    ) -> torch.Tensor:
        """Run the model over new tokens.

        Args:
            ids: (rows, new tokens), padded on the right.
            positions: (rows, new tokens), each token's position in its episode.
            mask: (rows, 1, new tokens, columns), 0 where attention may look and -inf elsewhere.
            last: (rows,), index of each row's last real token.
            cache: Already aimed.

        Returns:
            (rows, vocabulary) logits in fp32 after each row's last token.
        """
        ...


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


@dataclass(slots=True)
class Row:
    """One episode in the batch: tokens in the cache, the sampled token that is not yet, the stream."""

    slot: int
    length: int = 0
    pending: int | None = None
    stream: np.random.Generator | None = None


class Decoder:
    """Replies for many episodes, each over its own row of the cache.

    Args:
        forward: The model.
        stop: The token that ends a reply.
        pad: Any token id for padding; never attended to.
        max_new_tokens: Longest reply.
        temperature: Of sampling; None for greedy.

    Raises:
        Misuse: A number is out of range.
    """

    def __init__(
        self,
        forward: Forward,
        *,
        stop: int,
        pad: int,
        max_new_tokens: int,
        temperature: float | None = None,
    ) -> None:
        if max_new_tokens < 1:
            raise Misuse(f"max_new_tokens must be at least 1, not {max_new_tokens}")
        if temperature is not None and not temperature > 0:
            raise Misuse(f"temperature must be above 0, or None for greedy, not {temperature}")
        self._forward = forward
        self._stop, self._pad = stop, pad
        self._longest, self._temperature = max_new_tokens, temperature
        self._cache = forward.new_cache()
        self._rows: list[Row] = []
        self._dead: set[int] = set()

    def begin(self, slot: int, stream: np.random.Generator | None = None) -> None:
        """A new episode in this slot.

        Args:
            slot: Any number that is not in use.
            stream: Its random stream; needed unless decoding is greedy.

        Raises:
            Misuse: The slot is in use, or sampling has no stream.
        """
        if any(row.slot == slot and slot not in self._dead for row in self._rows):
            raise Misuse(f"slot {slot} is in use")
        if stream is None and self._temperature is not None:
            raise Misuse("sampling needs a random stream for each episode")
        if slot in self._dead:
            self._bury()
        self._rows.append(Row(slot, stream=stream))

    def end(self, slots: Iterable[int]) -> None:
        """Free the rows of these episodes; unknown slots are none of its business."""
        self._dead |= set(slots) & {row.slot for row in self._rows}

    def room(self, slot: int, chunk: int) -> bool:
        """Whether a chunk of so many tokens and the longest reply still fit the model's context."""
        row = next(row for row in self._rows if row.slot == slot and slot not in self._dead)
        return row.length + 1 + chunk + self._longest <= self._forward.context

    @torch.inference_mode()
    def reply(self, chunks: Mapping[int, Sequence[int]]) -> dict[int, Sampled]:
        """Feed new tokens and sample a reply to each.

        Args:
            chunks: New tokens by slot, none empty. Rows that do not appear wait.

        Returns:
            The reply of each slot.

        Raises:
            PolicyFailure: A chunk and its reply do not fit the context; ask :meth:`room` first.
        """
        self._bury()
        if not chunks:
            return {}
        for slot, chunk in chunks.items():
            if not chunk or not self.room(slot, len(chunk)):
                raise PolicyFailure(f"slot {slot}: {len(chunk)} new tokens do not fit the context")
        fed: list[list[int]] = []
        for row in self._rows:
            held = [] if row.pending is None else [row.pending]
            fed.append([*held, *chunks[row.slot]] if row.slot in chunks else [])
        logits = self._feed(fed)
        draws = self._draws(chunks)
        ids: list[list[int]] = [[] for _ in self._rows]
        logprobs: list[list[float]] = [[] for _ in self._rows]
        open_rows = [i for i, row in enumerate(self._rows) if row.slot in chunks]
        for step in range(self._longest):
            chosen, scores = self._choose(logits, draws[:, step])
            for i in open_rows:
                ids[i].append(chosen[i])
                logprobs[i].append(scores[i])
                self._rows[i].pending = chosen[i]
            open_rows = [i for i in open_rows if chosen[i] != self._stop]
            if not open_rows or step + 1 == self._longest:
                break
            still = set(open_rows)
            logits = self._feed([[chosen[i]] if i in still else [] for i in range(len(ids))])
        return {
            row.slot: Sampled(tuple(ids[i]), tuple(logprobs[i]))
            for i, row in enumerate(self._rows)
            if row.slot in chunks
        }

    def _feed(self, fed: list[list[int]]) -> torch.Tensor:
        """Run new tokens, a list for each row; rows with none only keep their place."""
        width = max(map(len, fed))
        ids = np.full((len(fed), width), self._pad, dtype=np.int64)
        for i, tokens in enumerate(fed):
            ids[i, : len(tokens)] = tokens
        starts = np.array([row.length for row in self._rows])
        last = np.maximum(np.array([len(tokens) for tokens in fed]) - 1, 0)
        positions = starts[:, None] + np.arange(width)
        columns = int(positions.max()) + 1
        self._cache.reserve(len(fed), columns)
        device = self._forward.device
        where = torch.from_numpy(positions).to(device)
        self._cache.aim(where, columns)
        hidden = torch.arange(columns, device=device) > where[:, None, :, None]
        mask = torch.zeros(hidden.shape, device=device).masked_fill_(hidden, -torch.inf)
        logits = self._forward(
            torch.from_numpy(ids).to(device),
            where,
            mask,
            torch.from_numpy(last).to(device),
            self._cache,
        )
        for row, tokens in zip(self._rows, fed, strict=True):
            row.length += len(tokens)
        return logits

    def _draws(self, chunks: Mapping[int, Sequence[int]]) -> torch.Tensor:
        """(rows, longest reply) numbers in [0, 1); a row always uses up as many."""
        draws = np.zeros((len(self._rows), self._longest))
        if self._temperature is not None:
            for i, row in enumerate(self._rows):
                if row.slot in chunks and row.stream is not None:
                    draws[i] = row.stream.random(self._longest)
        return torch.from_numpy(draws).to(self._forward.device)

    def _choose(self, logits: torch.Tensor, draws: torch.Tensor) -> tuple[list[int], list[float]]:
        """One token a row by inverse transform sampling, or the likeliest; and its log-probability."""
        if self._temperature is None:
            scores = logits.log_softmax(-1)
            chosen = logits.argmax(-1, keepdim=True)
        else:
            scores = (logits / self._temperature).log_softmax(-1)
            reached = scores.double().exp().cumsum(-1)
            # Scaled to the sum that rounding left, so that a draw never falls off the end.
            aim = draws[:, None] * reached[:, -1:]
            chosen = torch.searchsorted(reached, aim, right=True).clamp_(max=logits.shape[-1] - 1)
        return chosen[:, 0].tolist(), scores.gather(-1, chosen)[:, 0].tolist()

    def _bury(self) -> None:
        """Remove ended rows: the last live rows move into their places."""
        if not self._dead:
            return
        rows, live = self._rows, [row for row in self._rows if row.slot not in self._dead]
        kept = len(live)
        movers = [i for i in range(kept, len(rows)) if rows[i].slot not in self._dead]
        for target in range(kept):
            if rows[target].slot in self._dead:
                source = movers.pop()
                self._cache.move(source, target, rows[source].length)
                rows[target] = rows[source]
        del rows[kept:]
        self._dead.clear()
