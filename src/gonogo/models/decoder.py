"""The decoder: many episodes in lock step over one key-value cache that lives through each episode.

A row of the cache belongs to one episode; column ``p`` of a row holds its token ``p``. A turn feeds
only what is new (the end of the last reply, the observation) and then samples token by token, so a
turn costs its own tokens and never the history's. Padding to the right of a row's chunk is written
beyond the row's end, where no query looks and the next token overwrites it: nothing is ever masked
in the middle. Rows whose episodes ended leave the batch; the last rows move into their places.

What new episodes begin with in common (a system prompt, a group's whole task) is fed once and copied
to their rows; it is kept for those that begin later. A bound on the cache's memory bounds the episodes
at once.

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
from gonogo.models.sampling import Sampled

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
        self._rows = slice(0)
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

    def row_bytes(self, columns: int) -> int:
        """Memory of a row of so many columns, as :meth:`reserve` would make it."""
        columns = -(-columns // COLUMNS) * COLUMNS
        return 2 * len(self.keys) * self._heads * columns * self._width * self._dtype.itemsize

    def aim(self, positions: torch.Tensor, columns: int, first: int = 0) -> None:
        """Say where the next forward pass writes and how far it reads.

        Args:
            positions: (rows, new tokens), the column of each new token.
            columns: Number of columns that attention looks at.
            first: The first of the rows, which follow each other.
        """
        rows = torch.arange(first, first + positions.shape[0], device=positions.device)
        self._index = (rows[:, None], positions)
        self._rows = slice(first, first + positions.shape[0])
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
        seen = (self._rows, slice(None), slice(self._columns))
        return keys[seen], values[seen]

    @torch.inference_mode()
    def take(self, other: RowCache, source: int, targets: slice | list[int], length: int) -> None:
        """Copy the first ``length`` columns of a row of another cache, or of this one, over these rows."""
        stores = zip((*self.keys, *self.values), (*other.keys, *other.values), strict=True)
        for mine, theirs in stores:
            row = theirs[source, :, :length]
            # Of its own rows, torch takes a whole one for the same memory as the others.
            mine[targets, :, :length] = row.clone() if other is self else row


PASS = 8192
"""Most tokens in one forward pass, padding included: what it computes in between takes memory as well."""
LEAST = 16
"""Fewest tokens that are worth a forward pass of their own to be shared."""


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


@dataclass(slots=True)
class DecoderRow:
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
        cache_mib: Most memory of keys and values, MiB, or None. While the cache grows, one layer's old
            part comes on top.

    Attributes:
        most: Most episodes at once, or None.

    Raises:
        Misuse: A number is out of range, or the memory holds not one episode as long as the context.
    """

    def __init__(
        self,
        forward: Forward,
        *,
        stop: int,
        pad: int,
        max_new_tokens: int,
        temperature: float | None = None,
        cache_mib: int | None = None,
    ) -> None:
        if max_new_tokens < 1:
            raise Misuse(f"max_new_tokens must be at least 1, not {max_new_tokens}")
        if temperature is not None and not temperature > 0:
            raise Misuse(f"temperature must be above 0, or None for greedy, not {temperature}")
        self._forward = forward
        self._stop, self._pad = stop, pad
        self._longest, self._temperature = max_new_tokens, temperature
        self._cache, self._kept = forward.new_cache(), forward.new_cache()
        self._opening: tuple[int, ...] = ()  # the tokens that the kept cache holds, in its one row
        self._rows: list[DecoderRow] = []
        self._dead: set[int] = set()
        self.most = None if cache_mib is None else self._rows_within(cache_mib)

    def _rows_within(self, mib: int) -> int:
        """Episodes that a memory holds, each as long as the context, beside the kept opening."""
        context = self._forward.context
        each = self._cache.row_bytes(context)
        most = (mib << 20) // each - 1
        if most < 1:
            least = -(-2 * each >> 20)
            raise Misuse(
                f"rollout.cache_mib must be at least {least} for one episode of {context} tokens and the "
                f"opening that is kept, not {mib}; a shorter context needs less"
            )
        return most

    def begin(self, slot: int, stream: np.random.Generator | None = None) -> None:
        """A new episode in this slot.

        Args:
            slot: Any number that is not in use.
            stream: Its random stream; needed unless decoding is greedy.

        Raises:
            Misuse: The slot is in use, sampling has no stream, or the cache's memory is full.
        """
        if any(row.slot == slot and slot not in self._dead for row in self._rows):
            raise Misuse(f"slot {slot} is in use")
        if stream is None and self._temperature is not None:
            raise Misuse("sampling needs a random stream for each episode")
        if slot in self._dead:
            self._bury()
        if self.most is not None and len(self._rows) - len(self._dead) >= self.most:
            raise Misuse(f"rollout.cache_mib holds {self.most} episodes at once, not one more")
        self._rows.append(DecoderRow(slot, stream=stream))

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
        logits = self._read(chunks)
        draws = self._draws(chunks)
        ids: list[list[int]] = [[] for _ in self._rows]
        logprobs: list[list[float]] = [[] for _ in self._rows]
        open_rows = [i for i, row in enumerate(self._rows) if row.slot in chunks]
        for step in range(self._longest):
            chosen, scores = self._choose(logits, draws[: len(logits), step])
            for i in open_rows:
                ids[i].append(chosen[i])
                logprobs[i].append(scores[i])
                self._rows[i].pending = chosen[i]
            open_rows = [i for i in open_rows if chosen[i] != self._stop]
            if not open_rows or step + 1 == self._longest:
                break
            # Rows behind the last that still speaks are not computed.
            fed: list[list[int]] = [[] for _ in range(open_rows[-1] + 1)]
            for i in open_rows:
                fed[i].append(chosen[i])
            logits = self._feed(0, fed)
        return {
            row.slot: Sampled(tuple(ids[i]), tuple(logprobs[i]))
            for i, row in enumerate(self._rows)
            if row.slot in chunks
        }

    def _read(self, chunks: Mapping[int, Sequence[int]]) -> torch.Tensor:
        """Feed the chunks: (rows, vocabulary) logits after each; anything for rows that wait."""
        fed: list[list[int]] = []
        for row in self._rows:
            if row.length == 0:
                break
            held = [] if row.pending is None else [row.pending]
            fed.append([*held, *chunks[row.slot]] if row.slot in chunks else [])
        old = len(fed)
        new = [row for row in self._rows[old:] if row.slot in chunks]
        if not new:
            return self._feed(0, fed)
        after = self._begin_rows(old, {row.slot: tuple(chunks[row.slot]) for row in new})
        if any(fed):
            return torch.cat([self._feed(0, fed), after])
        return torch.cat([after.new_zeros(old, after.shape[1]), after])

    def _begin_rows(self, first: int, openings: dict[int, tuple[int, ...]]) -> torch.Tensor:
        """Feed the first chunks of episodes: equal ones once, what all begin with once.

        Args:
            first: The first row that is still empty.
            openings: The chunks by slot.

        Returns:
            (episodes, vocabulary) logits, in the order of the rows.
        """
        alike: dict[tuple[int, ...], list[DecoderRow]] = {}
        for row in self._rows[first:]:
            if row.slot in openings:
                alike.setdefault(openings[row.slot], []).append(row)
        leaders = [rows[0] for rows in alike.values()]
        followers = [row for rows in alike.values() for row in rows[1:]]
        waiting = [row for row in self._rows[first:] if row.slot not in openings]
        self._rows[first:] = [*leaders, *followers, *waiting]
        known = self._share(list(alike))
        self._cache.reserve(first + len(openings), max(map(len, alike)))
        if known:
            self._cache.take(self._kept, 0, slice(first, first + len(leaders)), known)
        for row in leaders:
            row.length = known
        logits = self._feed(first, [list(chunk[known:]) for chunk in alike])
        if len(leaders) == 1 and leaders[0].length - known >= LEAST:
            self._opening = next(iter(alike))
            self._kept.reserve(1, len(self._opening))
            self._kept.take(self._cache, first, slice(1), len(self._opening))
        place, order = first + len(leaders), list(range(len(leaders)))
        for number, (chunk, rows) in enumerate(alike.items()):
            others = slice(place, place + len(rows) - 1)
            self._cache.take(self._cache, first + number, others, len(chunk))
            for row in rows[1:]:
                row.length = len(chunk)
                order.append(number)
            place = others.stop
        return logits[order]

    def _share(self, openings: list[tuple[int, ...]]) -> int:
        """How many first tokens of all these the kept cache holds, fed now if that is worth it."""
        # The last token of an opening is fed in its own row: its logits are wanted.
        common = beginning(openings)[: min(map(len, openings)) - 1]
        known = len(beginning([common, self._opening]))
        if len(openings) > 1 and len(common) - known >= LEAST:
            self._run(self._kept, 0, [known], [list(common[known:])])
            self._opening, known = common, len(common)
        return known

    def _feed(self, first: int, fed: list[list[int]]) -> torch.Tensor:
        """Run new tokens, a list for each row from the first on; rows with none only keep their place."""
        rows = self._rows[first : first + len(fed)]
        starts = [row.length for row in rows]
        size = max(PASS // max(map(len, fed)), 1)
        parts = [
            self._run(self._cache, first + i, starts[i : i + size], fed[i : i + size])
            for i in range(0, len(fed), size)
        ]
        for row, tokens in zip(rows, fed, strict=True):
            row.length += len(tokens)
        return torch.cat(parts) if len(parts) > 1 else parts[0]

    def _run(
        self, cache: RowCache, first: int, starts: list[int], fed: list[list[int]]
    ) -> torch.Tensor:
        """One forward pass over rows of a cache, which hold ``starts`` tokens each."""
        width = max(1, *map(len, fed))
        ids = np.full((len(fed), width), self._pad, dtype=np.int64)
        for i, tokens in enumerate(fed):
            ids[i, : len(tokens)] = tokens
        last = np.maximum(np.array([len(tokens) for tokens in fed]) - 1, 0)
        # The last column is never a token's own: :meth:`room` keeps a place for one that is sampled.
        positions = np.array(starts)[:, None] + np.arange(width)
        positions = np.minimum(positions, self._forward.context - 1)
        columns = int(positions.max()) + 1
        cache.reserve(first + len(fed), columns)
        device = self._forward.device
        where = torch.from_numpy(positions).to(device)
        cache.aim(where, columns, first)
        hidden = torch.arange(columns, device=device) > where[:, None, :, None]
        mask = torch.zeros(hidden.shape, device=device).masked_fill_(hidden, -torch.inf)
        return self._forward(
            torch.from_numpy(ids).to(device),
            where,
            mask,
            torch.from_numpy(last).to(device),
            cache,
        )

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
        """Remove ended rows: the last rows with tokens move into their places, empty rows go last."""
        rows = self._rows
        holds = [row.slot not in self._dead and row.length > 0 for row in rows]
        kept = sum(holds)
        movers = [i for i in range(kept, len(rows)) if holds[i]]
        empty = [row for row in rows if row.slot not in self._dead and row.length == 0]
        for target in range(kept):
            if not holds[target]:
                source = movers.pop()
                self._cache.take(self._cache, source, [target], rows[source].length)
                rows[target] = rows[source]
        rows[kept:] = empty
        self._dead.clear()


def beginning(chunks: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The longest run of tokens that all begin with."""
    low, high = min(chunks), max(chunks)
    for place, (one, other) in enumerate(zip(low, high, strict=False)):
        if one != other:
            return low[:place]
    return low[: len(high)]
