"""Two ways to run a causal language model for the decoder: any model's own forward, and a short one.

:class:`ModelForward` calls a transformers model as it is. For a model of a million parameters the
time goes into dispatching small operations, not into arithmetic, so :class:`LlamaForward` runs the
Llama architecture in a quarter of the operations: one product for queries, keys and values, one for
gate and up, norms folded into the weights that follow them, rotary embedding as one complex product.
It refuses what it does not cover exactly. Both give the same logits up to rounding (a test says so);
:func:`forward_for` chooses.
"""

from __future__ import annotations

from typing import Any

import torch
from peft import PeftModel
from torch.nn import functional as F

from gonogo.adapters.lora import inner
from gonogo.adapters.modules_forward import ModulesForward
from gonogo.adapters.unsloth_models import is_patched
from gonogo.errors import Misuse
from gonogo.rollout.decoder import Forward, RowCache

__all__ = ["LlamaForward", "ModelForward", "forward_for"]


class ModelForward:
    """Any transformers causal language model with full attention in every layer.

    Args:
        model: The model; switched to evaluation while it runs.
        context: Most tokens of an episode.

    Raises:
        Misuse: The model has sliding or chunked attention, whose masks are not built here.
    """

    def __init__(self, model: Any, context: int) -> None:
        text = model.config.get_text_config()
        kinds = set(getattr(text, "layer_types", None) or ["full_attention"])
        if kinds != {"full_attention"}:
            raise Misuse(f"the decoder needs full attention in all layers, not {sorted(kinds)}")
        self._model = model
        self.context = context
        self.device = model.device
        heads = getattr(text, "num_key_value_heads", None) or text.num_attention_heads
        width = getattr(text, "head_dim", None) or text.hidden_size // text.num_attention_heads
        self._shape = (text.num_hidden_layers, heads, width)

    def new_cache(self) -> RowCache:
        """An empty cache of the model's shape."""
        return RowCache(*self._shape, dtype=self._model.dtype, device=self.device)

    def __call__(
        self,
        ids: torch.Tensor,
        positions: torch.Tensor,
        mask: torch.Tensor,
        last: torch.Tensor,
        cache: RowCache,
    ) -> torch.Tensor:
        """Logits after each row's last token; shapes as in :class:`gonogo.rollout.decoder.Forward`."""
        training = self._model.training
        self._model.eval()
        try:
            hidden = self._model.base_model(
                input_ids=ids,
                attention_mask=mask.to(self._model.dtype),
                position_ids=positions,
                past_key_values=cache,
                use_cache=True,
            ).last_hidden_state
        finally:
            self._model.train(training)
        rows = torch.arange(ids.shape[0], device=ids.device)
        head = self._model.get_output_embeddings()
        return head(hidden[rows, last]).float()


class LlamaForward:
    """The Llama architecture in few operations, from a snapshot of a model's weights.

    Args:
        model: A ``LlamaForCausalLM`` in fp32 without biases and with plain rotary embedding.
        context: Most tokens of an episode.

    Raises:
        Misuse: The model is another one.
    """

    def __init__(self, model: Any, context: int) -> None:
        if not is_plain_llama(model):
            raise Misuse("LlamaForward runs a plain fp32 Llama only; use ModelForward")
        config = model.config
        self.context, self.device = context, model.device
        self._heads, self._pairs = config.num_attention_heads, config.num_key_value_heads
        self._width, self._epsilon = config.head_dim, config.rms_norm_eps
        with torch.no_grad():
            self._snapshot(model)

    def _snapshot(self, model: Any) -> None:
        """Fuse and fold the weights; they are copied, so later updates of the model do not show."""
        half, context = self._width // 2, self.context
        # Dot products of queries and keys do not change when both permute their dimensions alike:
        # dimensions i and i + half, which rotate together, become neighbours, a complex number.
        order = torch.arange(self._width).view(2, half).t().reshape(-1).to(self.device)
        self._embedding = model.model.embed_tokens.weight.detach().clone()
        self._layers = []
        for layer in model.model.layers:
            attention, mlp = layer.self_attn, layer.mlp
            query = permuted(attention.q_proj.weight, self._heads, order)
            key = permuted(attention.k_proj.weight, self._pairs, order)
            qkv = torch.cat([query, key, attention.v_proj.weight]) * layer.input_layernorm.weight
            gate = torch.cat([mlp.gate_proj.weight, mlp.up_proj.weight])
            gate = gate * layer.post_attention_layernorm.weight
            weights = (qkv, attention.o_proj.weight, gate, mlp.down_proj.weight)
            self._layers.append(tuple(weight.t().contiguous() for weight in weights))
        self._head = (model.lm_head.weight * model.model.norm.weight).t().contiguous()
        frequencies = model.model.rotary_emb.inv_freq
        angles = torch.outer(torch.arange(context, device=self.device).float(), frequencies)
        self._rotation = torch.polar(torch.ones_like(angles), angles)  # (context, half)

    def new_cache(self) -> RowCache:
        """An empty cache of the model's shape."""
        return RowCache(len(self._layers), self._pairs, self._width, torch.float32, self.device)

    def __call__(
        self,
        ids: torch.Tensor,
        positions: torch.Tensor,
        mask: torch.Tensor,
        last: torch.Tensor,
        cache: RowCache,
    ) -> torch.Tensor:
        """Logits after each row's last token; shapes as in :class:`gonogo.rollout.decoder.Forward`."""
        rows, tokens = ids.shape
        width, pairs = self._width, self._pairs
        turned = self._heads + pairs  # heads that are rotated: queries and keys
        grouped = self._heads != pairs
        # Padding may point past the table; what it says is never looked at.
        rotation = self._rotation[positions.clamp(max=self.context - 1)].unsqueeze(2)
        x = F.embedding(ids, self._embedding).view(rows * tokens, -1)
        size = (x.shape[1],)
        for number, (qkv, out, gate_up, down) in enumerate(self._layers):
            y = F.rms_norm(x, size, eps=self._epsilon) @ qkv
            y = y.view(rows, tokens, -1, width)
            pair = torch.view_as_complex(y[:, :, :turned].reshape(rows, tokens, turned, -1, 2))
            rotated = torch.view_as_real(pair * rotation).flatten(-2).transpose(1, 2)
            query, key = rotated[:, : self._heads], rotated[:, self._heads :]
            keys, values = cache.update(key, y[:, :, turned:].transpose(1, 2), number)
            seen = F.scaled_dot_product_attention(
                query, keys, values, attn_mask=mask, enable_gqa=grouped
            )
            x = torch.addmm(x, seen.transpose(1, 2).reshape(rows * tokens, -1), out)
            y = F.rms_norm(x, size, eps=self._epsilon) @ gate_up
            gate, up = y.chunk(2, -1)
            x = torch.addmm(x, F.silu(gate).mul_(up), down)
        final = x.view(rows, tokens, -1)[torch.arange(rows, device=ids.device), last]
        return F.rms_norm(final, size, eps=self._epsilon) @ self._head


def permuted(weight: torch.Tensor, heads: int, order: torch.Tensor) -> torch.Tensor:
    """A projection (heads * width, hidden) with the dimensions of each head in another order."""
    return weight.view(heads, len(order), -1)[:, order].reshape(weight.shape)


def is_plain_llama(model: Any) -> bool:
    """Whether :class:`LlamaForward` computes exactly what this model does."""
    config = model.config
    if getattr(config, "model_type", "") != "llama" or model.dtype != torch.float32:
        return False
    rope = getattr(config, "rope_parameters", None) or {}
    plain = rope.get("rope_type", "default") == "default"
    return (
        plain
        and not config.attention_bias
        and not config.mlp_bias
        and (config.hidden_act == "silu")
    )


def forward_for(model: Any, context: int) -> Forward:
    """The fastest forward that is exact for this model.

    A :class:`LlamaForward` is a snapshot: make a new one after each update of the weights.
    """
    if is_patched(inner(model)):
        return ModulesForward(model, context)
    if isinstance(model, PeftModel):  # a snapshot would not see the factors in its layers
        return ModelForward(model.get_base_model(), context)
    if is_plain_llama(model) and type(model).__name__ == "LlamaForCausalLM":
        return LlamaForward(model, context)
    return ModelForward(model, context)
