"""What transformers' configs say of a model's shape, and whether a machine could hold it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from transformers import AutoConfig

from gonogo.adapters.machine import ram
from gonogo.config import Architecture
from gonogo.errors import PolicyFailure

__all__ = ["check_memory", "read_config", "shape_of"]

KNOWN = frozenset({"llama", "mistral", "qwen2", "qwen3"})
FP32_BYTES = 4


def read_config(folder: Path) -> Any:
    """A folder's ``config.json``, as transformers reads it."""
    return AutoConfig.from_pretrained(folder)


def shape_of(config: Any) -> Architecture | None:
    """A model's shape; None for a kind of model that the formulas are not about."""
    if getattr(config, "model_type", None) not in KNOWN:
        return None
    width = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    return Architecture(
        layers=config.num_hidden_layers,
        hidden=config.hidden_size,
        heads=config.num_attention_heads,
        kv_heads=config.num_key_value_heads or config.num_attention_heads,
        head_width=width,
        intermediate=config.intermediate_size,
        vocabulary=config.vocab_size,
        tied=bool(config.tie_word_embeddings),
        qkv_bias=config.model_type == "qwen2",
        head_norms=config.model_type == "qwen3",
    )


def check_memory(shape: Architecture | None) -> None:
    """Refuse to load what this machine's memory cannot hold, before the system ends the process for it.

    Raises:
        PolicyFailure: It does not fit.
    """
    if shape is None:
        return
    needed = FP32_BYTES * shape.parameters
    there, _ = ram()
    if needed > there:
        raise PolicyFailure(
            f"its weights at 32 bit take {needed / 1e9:.1f} GB, and this machine has {there / 1e9:.1f} GB: "
            "serve it elsewhere and give the server's URL"
        )
