"""From text to tokens: the tokenizer of a model made from scratch, and the turn format of any model.

**Tokenizer.** Byte-level BPE trained on transcripts. Text is split around numbers only
(:mod:`gonogo.models.numbers`): the vocabulary permitting, a number is a token or two, which a small model looks up
instead of reading, and a constant phrase between numbers is one, spaces and punctuation included.
Text can never become a special token: an observation that spells ``<|end|>`` is spelled in bytes.

**Turn format.** Which tokens stand before, between and after observations and replies. A model made
from scratch has one special token for each marker; a pretrained chat model's come from its chat template
(:mod:`gonogo.models.chat`). The text around a system prompt is kept too: what a model is told belongs
to the environment that it flies, not to the model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from gonogo.errors import Misuse
from gonogo.models import numbers

__all__ = ["TurnFormat", "encode", "scratch_format", "train_tokenizer"]

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
            pre_tokenizers.Split(Regex(numbers.PIECES), "isolated"),
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
