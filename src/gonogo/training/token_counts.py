"""Tokens of episodes that no model flew, counted by the tokenizer that a training will use, where it is here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from transformers import AutoTokenizer

from gonogo.config import ModelConfig
from gonogo.models.chat import chat_format
from gonogo.models.gguf import load_gguf_tokenizer
from gonogo.models.vocabulary import scratch_format, train_tokenizer
from gonogo.rollouts.episodes import Episode
from gonogo.training.transcripts import taught, texts

__all__ = ["count_tokens"]


def count_tokens(
    config: ModelConfig,
    episodes: Sequence[Episode],
    told: Sequence[str],
    spelled: Sequence[Episode] | None = None,
) -> list[tuple[int, int]] | None:
    """How many tokens each episode has, and how many of them are a policy's own words.

    Args:
        config: Which model. One made from scratch gets its tokenizer from these episodes, as it will in training.
        episodes: Of a policy that is no model.
        told: What a pretrained model is told before each of them.
        spelled: Episodes that such a tokenizer is made from instead; None for these.

    Returns:
        One pair an episode; None where the tokenizer is not on this machine.

    Raises:
        MissingExtra: It is a GGUF file, and ``gguf`` is not installed.
        PolicyFailure: The GGUF file does not say which token ends a reply.
        Misuse: The model's chat template or padding cannot carry an episode.
    """
    if config.pretrained is None:
        tokenizer = train_tokenizer(texts(spelled or episodes), config.vocabulary)
        turns = scratch_format(tokenizer)
    elif config.pretrained.endswith(".gguf"):
        tokenizer = load_gguf_tokenizer(Path(config.pretrained))
        turns = chat_format(tokenizer, "", config, config.pretrained)
    elif Path(config.pretrained).is_dir():
        tokenizer = AutoTokenizer.from_pretrained(config.pretrained)
        turns = chat_format(tokenizer, "", config, config.pretrained)
    else:
        return None
    counted = [
        taught(episode, tokenizer, turns.told(tokenizer, system))
        for episode, system in zip(episodes, told, strict=True)
    ]
    return [(len(each.ids), sum(turn >= 0 for turn in each.turn)) for each in counted]
