"""From text to tokens: the tokenizer of a model made from scratch, and the turn format of any model.

**Tokenizer.** Byte-level BPE trained on transcripts. Text is split around numbers only: the vocabulary permitting, a
number is a token or two, which a small model looks up instead of reading, and a constant phrase between numbers is one,
spaces and punctuation included. Text can never become a special token: an observation that spells ``<|end|>`` is
spelled in bytes.

**Numbers.** A small model that is to control something spends most of its training on reading numbers. Two things
shorten that:

- *Pieces.* A sign stays with its number, a point with what follows it, and digits are cut in threes from the right, so
  that the same quantity is the same token in ``410`` and ``+0410``.
- *Beginnings.* The embedding of a token that is a number begins as a smooth function of its value, so that what is
  learned about 37 holds for 38 from the start. The idea is that of xVal (Golkar et al., 2023, arXiv:2310.02989); here
  it is a beginning only, and the tokens are learned like all others from there on.

**Turn format.** Which tokens stand before, between and after observations and replies. A model made
from scratch has one special token for each marker; a pretrained chat model's come from its chat template
(:mod:`gonogo.models.chat`). The text around a system prompt is kept too: what a model is told belongs
to the environment that it flies, not to the model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from gonogo.config import ModelConfig
from gonogo.errors import Misuse

PAD, USER, ASSISTANT, END = "<|pad|>", "<|user|>", "<|assistant|>", "<|end|>"
SPECIAL = (PAD, USER, ASSISTANT, END)


@dataclass(frozen=True, slots=True)
class TurnFormat:
    """The marker tokens around observations and replies.

    Attributes:
        first: Before the first observation: a start token, a system prompt.
        between: Between the end token of a reply and the next observation.
        before_reply: Between an observation and the reply to it.
        end: The token that ends a reply; the model produces it.
        pad: A token for padding, not ``end``.
        around_system: Text before and after a system prompt, ahead of the first observation; None for a model that
            is told nothing, as one made from scratch, which cannot read.
    """

    first: tuple[int, ...]
    between: tuple[int, ...]
    before_reply: tuple[int, ...]
    end: int
    pad: int
    around_system: tuple[str, str] | None

    def told(self, tokenizer: Any, system: str) -> TurnFormat:
        """The same format with another system prompt; unchanged for a model that is told nothing."""
        if self.around_system is None:
            return self
        before, after = self.around_system
        first = tokenizer.encode(f"{before}{system}{after}", add_special_tokens=False)
        return replace(self, first=tuple(first))

    def chunk(
        self, observation: Sequence[int], *, turn: int, closed: bool = True
    ) -> tuple[int, ...]:
        """What is new to the model at a turn.

        Args:
            observation: The observation's tokens.
            turn: 0 for the first.
            closed: Whether the last reply ended with the end token; a cut reply gets it here.
        """
        opening = self.first if turn == 0 else self.between
        closing = () if closed else (self.end,)
        return (*closing, *opening, *observation, *self.before_reply)


def train_tokenizer(texts: Iterable[str], size: int) -> PreTrainedTokenizerFast:
    """Train a tokenizer on the texts of transcripts.

    Args:
        texts: Observations and replies.
        size: Most tokens in the vocabulary; at least the 256 bytes and the markers.

    Returns:
        The tokenizer, with pad and end tokens set. The same texts give the same tokenizer.

    Raises:
        Misuse: The size is too small.
    """
    least = 256 + len(SPECIAL)
    if size < least:
        raise Misuse(f"model.vocabulary must be at least {least}, not {size}")
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PIECES), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        min_frequency=2,
        show_progress=False,
        special_tokens=[AddedToken(name, special=True, normalized=False) for name in SPECIAL],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
    )
    tokenizer.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token=PAD, eos_token=END)


def encode(tokenizer: Any, text: str) -> list[int]:
    """Tokens of a text; what looks like a special token in it stays text."""
    return tokenizer.encode(text, add_special_tokens=False, split_special_tokens=True)


def scratch_format(tokenizer: Any) -> TurnFormat:
    """The format of a model made from scratch: ``<|user|>`` … ``<|assistant|>`` … ``<|end|>``."""
    pad, user, assistant, end = tokenizer.convert_tokens_to_ids(list(SPECIAL))
    return TurnFormat((user,), (user,), (assistant,), end, pad, around_system=None)


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


@dataclass(slots=True)
class Speaker:
    """A model with all it needs to fly.

    Attributes:
        model: Of transformers, or of peft around one.
        tokenizer: Its tokenizer.
        turns: Its turn format.
        context: Longest episode in tokens.
        base: How the frozen weights under an adapter were loaded; None where all weights are the model's own.
    """

    model: Any
    tokenizer: Any
    turns: TurnFormat
    context: int
    base: ModelConfig | None = None

    def told(self, system: str) -> Speaker:
        """The same model where it is told something else before the first observation; its weights are shared.

        Args:
            system: How to reply in the environment that it is going to fly; one made from scratch is told nothing.
        """
        return replace(self, turns=self.turns.told(self.tokenizer, system))
