"""A chat model out of a GGUF file, as a speaker: weights in fp32, tokenizer and chat template from the file.

Needs ``gguf`` beside transformers. What transformers makes of the file is put right where it is wrong: the end
token comes from the file's own number for it, not from the first special token of the vocabulary.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from transformers import AutoTokenizer

from gonogo.adapters.models import Speaker, load_whole
from gonogo.adapters.vocabulary import chat_format
from gonogo.errors import MissingExtra, PolicyFailure

__all__ = ["load_gguf"]


def load_gguf(file: Path, system: str | None) -> Speaker:
    """Read a GGUF file; takes tens of seconds for each hundred million weights.

    Args:
        file: It.
        system: System prompt, or None.

    Raises:
        MissingExtra: ``gguf`` is not installed.
        Misuse: Its chat template cannot carry an episode, or its weights are not all there.
        PolicyFailure: The file does not say which token ends a reply.
    """
    if find_spec("gguf") is None:
        raise MissingExtra("gguf", f"the file {file}")
    tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    model = load_whole(file.parent, gguf_file=file.name)
    config = model.config
    end = config.eos_token_id
    if end is None:
        raise PolicyFailure(f"{file}: it does not say which token ends a reply")
    tokenizer.eos_token = tokenizer.convert_ids_to_tokens(end)
    # Padding is never looked at here, but it may not be mistaken for an end.
    others = (config.pad_token_id, getattr(config, "unk_token_id", None), config.bos_token_id)
    pads = [token for token in others if token is not None and token != end]
    if pads:
        tokenizer.pad_token = tokenizer.convert_ids_to_tokens(pads[0])
    turns = chat_format(tokenizer, system)
    return Speaker(plain(model), tokenizer, turns, config.max_position_embeddings)


def plain(model: Any) -> Any:
    """The same weights in a model that does not remember a file's quantisation, and so can be cast and saved."""
    fields = {name: value for name, value in model.config.to_dict().items() if "quant" not in name}
    with torch.random.fork_rng(devices=[]):
        other = type(model)(type(model.config).from_dict(fields))
    other.load_state_dict(model.state_dict())
    other.tie_weights()
    return other.eval()
