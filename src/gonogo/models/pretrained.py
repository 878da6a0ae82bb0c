"""A pretrained chat model, loaded to be trained: by transformers or Unsloth, at 32, 16 or 4 bit, with LoRA or whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from transformers import AutoTokenizer, BitsAndBytesConfig

from gonogo.config import ModelConfig
from gonogo.errors import Misuse, PolicyFailure
from gonogo.models.chat import chat_format
from gonogo.models.exhaustion import is_out_of_memory
from gonogo.models.extras import uses_unsloth
from gonogo.models.failures import broken_errors, first_line
from gonogo.models.forwards import forward_for
from gonogo.models.gguf import load_gguf
from gonogo.models.lora import attach, reattach
from gonogo.models.machine import device
from gonogo.models.speaker import Speaker, load_whole
from gonogo.models.unsloth import attach_by_unsloth, check_decoding, load_by_unsloth

__all__ = ["load_adapted", "load_trainable"]


def load_trainable(config: ModelConfig, system: str | None, seed: int) -> Speaker:
    """A pretrained model that is ready to be trained, on the GPU if there is one.

    Args:
        config: Which model, and what of it is trained.
        system: System prompt, or None.
        seed: Of new LoRA factors.

    Raises:
        Misuse: Its chat template, padding or context cannot carry an episode, a LoRA target is no layer of it, or
            its weights are not all there.
        MissingExtra: A GGUF file's package is not installed.
        PolicyFailure: It cannot be loaded.
    """
    model, tokenizer = load_frozen(config)
    if config.pad_token is not None:
        if config.pad_token not in tokenizer.get_vocab():
            raise Misuse(
                f"model.pad_token must be a token of {config.pretrained}, not {config.pad_token!r}"
            )
        tokenizer.pad_token = config.pad_token
    turns = chat_format(tokenizer, system, config, str(config.pretrained))
    longest = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    if longest is not None and config.context > longest:
        raise Misuse(
            f"model.context must be at most {longest}, which is what {config.pretrained} has, not {config.context}"
        )
    if config.lora is None:
        return Speaker(model, tokenizer, turns, config.context)
    if uses_unsloth(config):
        model = attach_by_unsloth(model, config.lora, seed)
        check_decoding(model, forward_for(model, config.context))
    else:
        model = attach(model, config.lora, seed)
    return Speaker(model.eval(), tokenizer, turns, config.context, base=config)


def load_adapted(config: ModelConfig, folder: Path) -> Any:
    """The model that a folder's LoRA factors were trained on, with them.

    Raises:
        MissingRecord: They are of another model.
        PolicyFailure: It cannot be loaded.
    """
    model, _ = load_frozen(config)
    if uses_unsloth(config) and config.lora is not None:
        patched = attach_by_unsloth(model, config.lora, 0)
        patched.load_adapter(str(folder), "default", is_trainable=True)
        return patched
    return reattach(model, folder)


def load_frozen(config: ModelConfig) -> tuple[Any, Any]:
    """A pretrained model as it is, and its tokenizer.

    Raises:
        As :func:`load_trainable`.
    """
    name = str(config.pretrained)
    try:
        if name.endswith(".gguf"):
            return load_file(Path(name), config)
        if uses_unsloth(config):
            return load_by_unsloth(name, config)
        return load_by_transformers(name, config)
    except broken_errors() as error:
        if is_out_of_memory(error):
            raise
        raise PolicyFailure(f"{name}: cannot be loaded: {first_line(error)}") from error


def load_by_transformers(name: str, config: ModelConfig) -> tuple[Any, Any]:
    """From a folder or the hub."""
    where = device()
    if config.precision == "4bit":
        quantized = BitsAndBytesConfig(
            load_in_4bit=True,
            bnb_4bit_quant_type="nf4",
            bnb_4bit_use_double_quant=True,
            bnb_4bit_compute_dtype=torch.bfloat16,
        )
        words = {
            "dtype": torch.bfloat16,
            "quantization_config": quantized,
            "device_map": {"": where},
        }
        return load_whole(name, **words), AutoTokenizer.from_pretrained(name)
    dtype = torch.float32 if config.precision == "fp32" else torch.bfloat16
    return load_whole(name, dtype=dtype).to(where), AutoTokenizer.from_pretrained(name)


def load_file(file: Path, config: ModelConfig) -> tuple[Any, Any]:
    """From a GGUF file, whose own quantisation is undone."""
    if config.precision == "4bit":
        raise Misuse("model.precision must be fp32 or bf16 for a GGUF file, not 4bit")
    speaker = load_gguf(file, None, config)
    dtype = torch.float32 if config.precision == "fp32" else torch.bfloat16
    return cast(speaker.model, dtype).to(device()), speaker.tokenizer


def cast(model: Any, dtype: torch.dtype) -> Any:
    """A model with its weights in another precision, in place.

    Its buffers stay as they are: the frequencies of the rotary embedding, rounded to 16 bit, put a token of a long
    episode into another place, and transformers' own loading leaves them in 32 bit.
    """
    for weight in model.parameters():
        weight.data = weight.data.to(dtype)
    model.config.dtype = dtype
    return model
