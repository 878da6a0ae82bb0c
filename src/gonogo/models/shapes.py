"""What transformers' configs say of a model's shape, and whether a machine could hold it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from transformers import AutoConfig

from gonogo.config import Architecture, CandidateModel, ModelConfig
from gonogo.errors import MissingExtra, PolicyFailure
from gonogo.models.machine import ram

__all__ = ["ModelOutline", "check_memory", "plan_of", "read_config", "shape_of"]

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


@dataclass(frozen=True, slots=True)
class ModelOutline:
    """What is known of a model before its weights are there.

    Attributes:
        shape: Its shape; None where it is not known.
        context: Tokens that it can take; None where that is not known.
        source: Where both were read.
    """

    shape: Architecture | None
    context: int | None
    source: str


def plan_of(config: ModelConfig, candidates: Sequence[CandidateModel]) -> ModelOutline:
    """The model that a config means: from its own fields, a folder's or file's, or a candidate's; nothing is fetched.

    Raises:
        PolicyFailure: There is a folder or a file, and it does not say what it holds.
    """
    name = config.pretrained
    if name is None:
        return ModelOutline(scratch_shape(config), config.context, "the config")
    path = Path(name)
    if path.exists():
        try:
            held = read_file_config(path) if path.is_file() else read_config(path)
            text = held.get_text_config()
            return ModelOutline(
                shape_of(held), getattr(text, "max_position_embeddings", None), name
            )
        except (OSError, ValueError, LookupError) as error:
            raise PolicyFailure(f"{name}: its config cannot be read: {error}") from error
    known = [each for each in candidates if name in (each.repository, each.name)]
    if not known:
        return ModelOutline(None, None, "nowhere: it is no candidate's repository")
    return ModelOutline(known[0].architecture, known[0].context, f"the candidate {known[0].name}")


def scratch_shape(config: ModelConfig) -> Architecture:
    """The shape of a model made from scratch, at the most tokens that its tokenizer may get."""
    return Architecture(
        layers=config.layers,
        hidden=config.hidden,
        heads=config.heads,
        kv_heads=config.key_value_heads or config.heads,
        head_width=config.hidden // config.heads,
        intermediate=config.intermediate,
        vocabulary=config.vocabulary,
        tied=True,
        qkv_bias=config.architecture == "qwen2",
    )


def read_file_config(file: Path) -> Any:
    """What a GGUF file says of its shape.

    Raises:
        MissingExtra: ``gguf`` is not installed.
    """
    if find_spec("gguf") is None:
        raise MissingExtra("gguf", f"the file {file}")
    return AutoConfig.from_pretrained(file.parent, gguf_file=file.name)
