"""A chat model out of a GGUF file, as a speaker: weights in fp32, tokenizer and chat template from the file.

Needs ``gguf`` beside transformers. What transformers makes of the file is put right where it is wrong: the end
token comes from the file's own number for it, not from the first special token of the vocabulary.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from transformers import AutoTokenizer

from gonogo.config import ModelConfig
from gonogo.errors import PolicyFailure
from gonogo.models.chat import chat_format
from gonogo.models.shapes import read_file_config
from gonogo.models.speaker import Speaker, load_whole

__all__ = ["load_gguf", "load_gguf_tokenizer"]


def load_gguf(file: Path, system: str | None, chat: ModelConfig | None = None) -> Speaker:
    """Read a GGUF file; takes tens of seconds for each hundred million weights.

    Args:
        file: It.
        system: System prompt, or None.
        chat: Says by which chat template, and with which variables; None for the file's own without any.

    Raises:
        MissingExtra: ``gguf`` is not installed.
        Misuse: Its chat template cannot carry an episode, or its weights are not all there.
        PolicyFailure: The file does not say which token ends a reply.
    """
    tokenizer = load_gguf_tokenizer(file)
    turns = chat_format(tokenizer, system, chat, str(file))
    model = load_whole(file.parent, gguf_file=file.name)
    return Speaker(plain(model), tokenizer, turns, model.config.max_position_embeddings)


def load_gguf_tokenizer(file: Path) -> Any:
    """The tokenizer of a GGUF file, without its weights: a second.

    Raises:
        MissingExtra: ``gguf`` is not installed.
        PolicyFailure: The file does not say which token ends a reply.
    """
    config = read_file_config(file)
    tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    end = config.eos_token_id
    if end is None:
        raise PolicyFailure(f"{file}: it does not say which token ends a reply")
    tokenizer.eos_token = tokenizer.convert_ids_to_tokens(end)
    # Padding is never looked at here, but it may not be mistaken for an end.
    others = (config.pad_token_id, getattr(config, "unk_token_id", None), config.bos_token_id)
    pads = [token for token in others if token is not None and token != end]
    if pads:
        tokenizer.pad_token = tokenizer.convert_ids_to_tokens(pads[0])
    return tokenizer


def plain(model: Any) -> Any:
    """The same weights in a model that does not remember a file's quantisation, and so can be cast and saved."""
    fields = {name: value for name, value in model.config.to_dict().items() if "quant" not in name}
    with torch.random.fork_rng(devices=[]):
        other = type(model)(type(model.config).from_dict(fields))
    other.load_state_dict(model.state_dict())
    other.tie_weights()
    return other.eval()
