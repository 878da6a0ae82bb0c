"""The shape of a language model, and how many weights it has."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from gonogo.config.base import Frozen

__all__ = ["Architecture"]


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
