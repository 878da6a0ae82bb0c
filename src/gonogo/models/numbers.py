r"""Numbers in the vocabulary of a model made from scratch: which digits stay together, and where their tokens begin.

A small model that is to control something spends most of its training on reading numbers. Two things shorten that:

- **Pieces.** A sign stays with its number, a point with what follows it, and digits are cut in threes from the right,
  so that the same quantity is the same token in ``410`` and ``+0410``.
- **Beginnings.** The embedding of a token that is a number begins as a smooth function of its value, so that what is
  learned about 37 holds for 38 from the start. The idea is that of xVal (Golkar et al., 2023, arXiv:2310.02989); here
  it is a beginning only, and the tokens are learned like all others from there on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray

__all__ = ["PIECES", "begin_by_value", "features"]

PIECES = r"[+-]?\d\.\d\d(?!\d)|[+-]?\d{1,3}(?=(?:\d{3})*(?!\d))|\.\d{1,3}|\d"
"""What a token may hold of a number: a figure with two decimals, up to three digits, a fraction."""
NUMBER = re.compile(r"[+-]?\d*\.?\d+")
FINEST = 0.02
"""Values within about this of 0 differ by their difference, larger ones by their ratio."""
CENTRES: NDArray[np.float64] = np.linspace(-11.0, 11.0, 45)
"""Of the bumps, on the scale of asinh(value / :data:`FINEST`); 11 stands for 600."""
WIDTH = 0.5
"""Of a bump, on the same scale."""
OWN = 0.15
"""Share of its random beginning that a number's token keeps, so that 7 and 07 are not the same."""


def features(text: str) -> NDArray[np.float64]:
    """What a number's value and shape come to.

    Args:
        text: A token that is a number, such as ``-0.25``, ``037`` or ``.5``.

    Returns:
        (48,) Gaussian bumps along the value, the value's place on their scale, and whether it is a fraction or signed.
    """
    place = np.arcsinh(float(text) / FINEST)
    bumps = np.exp(-0.5 * ((place - CENTRES) / WIDTH) ** 2)
    return np.array([*bumps, place / CENTRES[-1], text[0] == ".", text[0] in "+-"])


def begin_by_value(embedding: torch.Tensor, vocabulary: Mapping[str, int]) -> None:
    """Let the tokens that are numbers begin by their value, as long as the others on average.

    Args:
        embedding: (tokens, width) new weights, drawn at random; changed in place, from torch's global generator.
        vocabulary: Ids of all tokens.
    """
    # In the order of the ids: a tokenizer gives them in another order each time, and sums round by their order.
    ordered = sorted(vocabulary.items(), key=lambda item: item[1])
    numbers = {name: index for name, index in ordered if NUMBER.fullmatch(name)}
    if not numbers:
        return
    known = torch.tensor(np.stack([features(name) for name in numbers]), dtype=embedding.dtype)
    placed = known @ torch.randn(known.shape[1], embedding.shape[1], dtype=embedding.dtype)
    length = embedding.norm(dim=1).mean()
    with torch.no_grad():
        rows = list(numbers.values())
        embedding[rows] = OWN * embedding[rows] + placed * (length / placed.norm(dim=1).mean())
