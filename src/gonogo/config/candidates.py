"""Models that may be trained: their architectures and what else decides, from files with sources.

The shipped file is ``candidates.yaml`` beside this module; anyone adds others with a file of the same form.
What nobody has verified is None, never a guess.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any, Self

import yaml
from pydantic import Field, TypeAdapter, ValidationError, model_validator

from gonogo.config.run_config import describe
from gonogo.config.stations import Frozen
from gonogo.errors import ConfigError


class Architecture(Frozen):
    """The numbers of a dense decoder with grouped queries and a gated feed-forward: Llama, Mistral, Qwen."""

    layers: int = Field(ge=1)
    """Transformer blocks."""
    hidden: int = Field(ge=1)
    """Width of the residual stream."""
    heads: int = Field(ge=1)
    """Query heads of each block."""
    kv_heads: int = Field(ge=1)
    """Heads of keys and values, a divisor of `heads`."""
    head_width: int = Field(ge=1)
    """Dimension of a head."""
    intermediate: int = Field(ge=1)
    """Width of the feed-forward."""
    vocabulary: int = Field(ge=1)
    """Rows of the embedding."""
    tied: bool
    """Whether the output head is the embedding."""
    qkv_bias: bool = False
    """Whether queries, keys and values have biases, as Qwen2's."""
    head_norms: bool = False
    """Whether queries and keys are normalised head by head, as Qwen3's."""

    @model_validator(mode="after")
    def _heads_divide(self) -> Self:
        if self.heads % self.kv_heads:
            raise ValueError(f"kv_heads must divide heads ({self.heads}), not {self.kv_heads}")
        return self

    def projections(self) -> list[tuple[int, int]]:
        """Inputs and outputs of each of a block's linear layers: q, k, v, o, gate, up, down."""
        queries, pairs = self.heads * self.head_width, self.kv_heads * self.head_width
        hidden, inner = self.hidden, self.intermediate
        return [
            (hidden, queries), (hidden, pairs), (hidden, pairs), (queries, hidden),
            (hidden, inner), (hidden, inner), (inner, hidden),
        ]  # fmt: skip

    @property
    def linear_parameters(self) -> int:
        """Weights of all blocks' linear layers: what quantisation makes smaller and LoRA sits on."""
        return self.layers * sum(inputs * outputs for inputs, outputs in self.projections())

    @property
    def parameters(self) -> int:
        """All weights, counted from the shapes.

        Source:
            The modules of transformers' ``LlamaForCausalLM``, ``Qwen2ForCausalLM`` (biases) and
            ``Qwen3ForCausalLM`` (norms of heads): embedding, blocks with two norms each, a last norm, the head.
        """
        block = 2 * self.hidden
        if self.qkv_bias:
            block += (self.heads + 2 * self.kv_heads) * self.head_width
        if self.head_norms:
            block += 2 * self.head_width
        tables = (1 if self.tied else 2) * self.vocabulary * self.hidden
        return tables + self.linear_parameters + self.layers * block + self.hidden


SHIPPED = "candidates.yaml"


class CandidateModel(Frozen):
    """A model that might be trained."""

    name: str = Field(min_length=1)
    """What tables call it, and what `--model NAME=WHERE` gives weights to."""
    repository: str | None = None
    """Its repository on the hub."""
    architecture: Architecture | None = None
    """Null where it is not known, or is no dense decoder of this kind."""
    context: int | None = Field(None, ge=1)
    """Longest episode in tokens."""
    licence: str | None = None
    """Its licence's id."""
    unsloth: bool | None = None
    """Whether Unsloth trains it."""
    sources: dict[str, str] = Field(default_factory=dict)
    """Where each fact was read."""

    @model_validator(mode="after")
    def _facts_have_sources(self) -> Self:
        facts = ("architecture", "licence", "unsloth")
        bare = [name for name in facts if getattr(self, name) is not None]
        missing = [name for name in bare if name not in self.sources]
        if missing:
            raise ValueError(f"sources must say where {', '.join(missing)} was read")
        return self


def load_candidates(extra: Path | None = None) -> tuple[CandidateModel, ...]:
    """The shipped candidates, and those of a file; its entries replace shipped ones of the same name.

    Raises:
        ConfigError: The file cannot be read or breaks a rule.
    """
    listed = read(SHIPPED, files("gonogo.config").joinpath(SHIPPED).read_text(encoding="utf-8"))
    if extra is not None:
        try:
            listed += read(str(extra), extra.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{extra}: cannot be read: {error}") from error
    return tuple({candidate.name: candidate for candidate in listed}.values())


def read(source: str, text: str) -> list[CandidateModel]:
    """The candidates of one file."""
    try:
        data: Any = yaml.safe_load(text)
        return TypeAdapter(list[CandidateModel]).validate_python(data)
    except yaml.YAMLError as error:
        raise ConfigError(f"{source}: not YAML: {error}") from error
    except ValidationError as error:
        raise ConfigError(describe(error, source, CandidateModel)) from error
