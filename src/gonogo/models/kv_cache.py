"""The key-value cache of the decoder: a row for each episode, a column for each token."""

from __future__ import annotations

from typing import Any

import torch

__all__ = ["RowCache"]

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
