"""Rows of the cache are copied whole and in part, from another cache and from their own."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="the train extra is not installed")

import torch

from gonogo.models.kv_cache import COLUMNS, RowCache


def cache(rows: int, columns: int) -> RowCache:
    made = RowCache(2, 2, 4, torch.float32, torch.device("cpu"))
    made.reserve(rows, columns)
    for store in (*made.keys, *made.values):
        store.normal_(generator=torch.Generator().manual_seed(rows))
    return made


@pytest.mark.parametrize("length", [1, COLUMNS - 1, COLUMNS])
@pytest.mark.parametrize("targets", [[0], [0, 1], slice(0, 2)])
def test_a_row_is_copied_over_others_of_its_own_cache(
    length: int, targets: list[int] | slice
) -> None:
    held = cache(3, COLUMNS)
    before = [store.clone() for store in (*held.keys, *held.values)]
    held.take(held, 2, targets, length)
    for store, old in zip((*held.keys, *held.values), before, strict=True):
        assert torch.equal(store[targets, :, :length], old[[2]].expand_as(old)[targets, :, :length])
        assert torch.equal(store[:, :, length:], old[:, :, length:])
        assert torch.equal(store[2], old[2])


@pytest.mark.parametrize("length", [5, COLUMNS])
def test_a_row_is_copied_from_another_cache(length: int) -> None:
    held, other = cache(3, 2 * COLUMNS), cache(1, COLUMNS)
    held.take(other, 0, [1, 2], length)
    for store, source in zip((*held.keys, *held.values), (*other.keys, *other.values), strict=True):
        assert torch.equal(store[1, :, :length], source[0, :, :length])
        assert torch.equal(store[2, :, :length], source[0, :, :length])
