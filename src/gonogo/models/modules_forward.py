"""A forward pass of Llama's relatives by their linear layers alone, for models whose own forward has been replaced.

Unsloth replaces the forwards of whole blocks by ones that keep a cache of their own kind. Here each linear layer is
called as it is, with what LoRA or 4 bit made of it, and everything between is computed in this module, on the
decoder's cache.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional as F

from gonogo.errors import Misuse
from gonogo.models.kv_cache import RowCache
from gonogo.models.lora import inner

__all__ = ["ModulesForward"]

KNOWN = ("llama", "mistral", "qwen2", "qwen3")


class ModulesForward:
    """Llama, Mistral, Qwen2 or Qwen3 with full attention and plain rotary embedding, of any precision.

    Args:
        model: Of transformers, or of peft around one.
        context: Most tokens of an episode.

    Raises:
        Misuse: The model is another one.
    """

    def __init__(self, model: Any, context: int) -> None:
        self._model = inner(model)
        config = self._model.config
        rope = getattr(config, "rope_parameters", None) or {}
        kinds = set(getattr(config, "layer_types", None) or ["full_attention"])
        plain = rope.get("rope_type", "default") == "default" and "rope_theta" in rope
        sliding = (
            getattr(config, "sliding_window", None) if config.model_type == "mistral" else None
        )
        if config.model_type not in KNOWN or not plain or kinds != {"full_attention"} or sliding:
            raise Misuse(
                f"a patched model can be flown if it is one of {', '.join(KNOWN)} with full attention and plain "
                f"rotary embedding, and this {config.model_type} is not"
            )
        self.context, self.device = context, self._model.device
        self._heads, self._pairs = config.num_attention_heads, config.num_key_value_heads
        self._width = getattr(config, "head_dim", None) or config.hidden_size // self._heads
        self._epsilon, self._layers = config.rms_norm_eps, config.num_hidden_layers
        powers = torch.arange(0, self._width, 2, device=self.device).float() / self._width
        self._frequencies = rope["rope_theta"] ** -powers

    def new_cache(self) -> RowCache:
        """An empty cache of the model's shape."""
        return RowCache(
            self._layers, self._pairs, self._width, dtype=self._model.dtype, device=self.device
        )

    def __call__(
        self,
        ids: torch.Tensor,
        positions: torch.Tensor,
        mask: torch.Tensor,
        last: torch.Tensor,
        cache: RowCache,
    ) -> torch.Tensor:
        """Logits after each row's last token; shapes as in :class:`gonogo.models.decoder.Forward`."""
        training = self._model.training
        self._model.eval()
        try:
            return self._run(ids, positions, mask.to(self._model.dtype), last, cache)
        finally:
            self._model.train(training)

    def _run(
        self,
        ids: torch.Tensor,
        positions: torch.Tensor,
        mask: torch.Tensor,
        last: torch.Tensor,
        cache: RowCache,
    ) -> torch.Tensor:
        body = self._model.model
        angles = positions[..., None].float() * self._frequencies
        angles = torch.cat([angles, angles], -1)[:, None]  # (rows, 1, tokens, width)
        cosine, sine = angles.cos().to(mask.dtype), angles.sin().to(mask.dtype)
        x = F.embedding(ids, body.embed_tokens.weight)
        for number, layer in enumerate(body.layers):
            attention, mlp = layer.self_attn, layer.mlp
            y = self._norm(x, layer.input_layernorm)
            query = self._split(attention.q_proj(y))
            key, value = self._split(attention.k_proj(y)), self._split(attention.v_proj(y))
            if self._model.config.model_type == "qwen3":
                query, key = self._norm(query, attention.q_norm), self._norm(key, attention.k_norm)
            query, key = rotated(query, cosine, sine), rotated(key, cosine, sine)
            keys, values = cache.update(key, value, number)
            seen = F.scaled_dot_product_attention(
                query, keys, values, attn_mask=mask, enable_gqa=self._heads != self._pairs
            )
            x = x + attention.o_proj(seen.transpose(1, 2).flatten(2))
            y = self._norm(x, layer.post_attention_layernorm)
            x = x + mlp.down_proj(F.silu(mlp.gate_proj(y)) * mlp.up_proj(y))
        rows = torch.arange(ids.shape[0], device=ids.device)
        final: torch.Tensor = self._model.lm_head(self._norm(x[rows, last], body.norm))
        return final.float()

    def _split(self, x: torch.Tensor) -> torch.Tensor:
        """(rows, tokens, heads * width) as (rows, heads, tokens, width)."""
        return x.unflatten(-1, (-1, self._width)).transpose(1, 2)

    def _norm(self, x: torch.Tensor, norm: Any) -> torch.Tensor:
        """Root-mean-square norm over the last dimension, computed in fp32."""
        scaled = F.rms_norm(x.float(), x.shape[-1:], eps=self._epsilon)
        return scaled.to(x.dtype) * norm.weight


def rotated(x: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor) -> torch.Tensor:
    """Rotary embedding, where dimension i turns with dimension i + half."""
    first, second = x.chunk(2, -1)
    return x * cosine + torch.cat([-second, first], -1) * sine
