"""Three ways to run a causal language model for the decoder: its own forward, a short one, and one by linear layers.

:class:`ModelForward` calls a transformers model as it is. For a model of a million parameters the
time goes into dispatching small operations, not into arithmetic, so :class:`LlamaForward` runs the
Llama architecture in a quarter of the operations: one product for queries, keys and values, one for
gate and up, norms folded into the weights that follow them, rotary embedding as one complex product.
Heads that share their keys are queries of one head, so that keys are read once where transformers
copies them for each head. It refuses what it does not cover exactly. Both give the same logits up to
rounding (a test says so); :func:`forward_for` chooses.

A PEFT model runs through the model inside it, whose layers carry the adapters; a :class:`LlamaForward`
adds LoRA's factors to the weights that it copies in fp32, and multiplies by them beside the weights in 16 bit, where
they are too small to be added.

Unsloth replaces the forwards of whole blocks by ones that keep a cache of their own kind. A :class:`ModulesForward`
runs such a model: each linear layer is called as it is, with what LoRA or 4 bit made of it, and everything between is
computed here, on the decoder's cache.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from peft import PeftModel
from peft.tuners.lora import Linear as LoraLinear
from torch.nn import functional as F

from gonogo.errors import Misuse
from gonogo.models.decoder import Forward, RowCache


def inner(model: Any) -> Any:
    """The transformers model, with factors in its layers where it has some.

    Raises:
        Misuse: What was learned is a prompt, which lies outside that model.
    """
    if not isinstance(model, PeftModel):
        return model
    if model.active_peft_config.is_prompt_learning:
        kind = model.active_peft_config.peft_type.value
        raise Misuse(f"a PEFT model needs adapters inside the model's layers, not {kind}")
    return model.get_base_model()


def is_patched(model: Any) -> bool:
    """Whether Unsloth has replaced the forward of a model's body."""
    return str(getattr(type(model.base_model).forward, "__module__", "")).startswith("unsloth")


COPIED = 2 << 30
"""Most bytes of weights that a snapshot copies: in a larger model arithmetic is the time, and copies are the memory."""
COMPUTED = (torch.float32, torch.bfloat16)
"""Number formats that a :class:`LlamaForward` runs in."""


class ModelForward:
    """Any transformers causal language model with full attention in every layer.

    Args:
        model: The model, bare or with adapters in its layers; switched to evaluation while it runs.
        context: Most tokens of an episode.

    Raises:
        Misuse: The model has sliding or chunked attention, whose masks are not built here, or
            learned prompts before its tokens.
    """

    def __init__(self, model: Any, context: int) -> None:
        model = inner(model)
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
        """Logits after each row's last token; shapes as in :class:`gonogo.models.decoder.Forward`."""
        training = self._model.training
        if training:
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
            if training:
                self._model.train()
        rows = torch.arange(ids.shape[0], device=ids.device)
        head = self._model.get_output_embeddings()
        return head(hidden[rows, last]).float()


class Product(NamedTuple):
    """A linear layer, or several that read the same: a weight (in, out), and LoRA's factors where they stay apart."""

    weight: torch.Tensor
    down: torch.Tensor | None = None
    """(in, ranks)."""
    up: torch.Tensor | None = None
    """(ranks, out), scaled."""

    def of(self, x: torch.Tensor) -> torch.Tensor:
        """(tokens, out) of (tokens, in), rounded once after the factors' part is added, as PEFT does."""
        y = x @ self.weight
        if self.down is None or self.up is None:
            return y
        return (y + x.to(self.down.dtype) @ self.down @ self.up).to(y.dtype)

    def added(self, x: torch.Tensor, to: torch.Tensor) -> torch.Tensor:
        """What it makes of ``x``, added to a stream (tokens, out)."""
        return torch.addmm(to, x, self.weight) if self.down is None else to + self.of(x)


class Layer(NamedTuple):
    """Products of a layer, and the norms before them where they are not folded in."""

    qkv: Product
    out: Product
    gate_up: Product
    down: Product
    before: torch.Tensor | None
    between: torch.Tensor | None


class LlamaForward:
    """The Llama architecture in few operations, from a snapshot of a model's weights.

    Args:
        model: A ``LlamaForCausalLM`` without biases and with plain rotary embedding, in fp32 or bf16, bare or
            with LoRA.
        context: Most tokens of an episode.

    Raises:
        Misuse: The model is another one.
    """

    def __init__(self, model: Any, context: int) -> None:
        if not is_plain_llama(model):
            raise Misuse("LlamaForward runs a plain Llama only, fp32 or bf16; use ModelForward")
        model = inner(model)
        config = model.config
        self.context, self.device, self._dtype = context, model.device, model.dtype
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
        self._layers: list[Layer] = []
        for layer in model.model.layers:
            attention, mlp = layer.self_attn, layer.mlp
            before, between = layer.input_layernorm.weight, layer.post_attention_layernorm.weight
            query = self._part(attention.q_proj).permuted(self._heads, order)
            key = self._part(attention.k_proj).permuted(self._pairs, order)
            self._layers.append(
                Layer(
                    self._product([query, key, self._part(attention.v_proj)], before),
                    self._product([self._part(attention.o_proj)]),
                    self._product([self._part(mlp.gate_proj), self._part(mlp.up_proj)], between),
                    self._product([self._part(mlp.down_proj)]),
                    self._kept(before),
                    self._kept(between),
                )
            )
        norm = model.model.norm.weight
        self._head, self._norm = self._product([self._part(model.lm_head)], norm), self._kept(norm)
        frequencies = model.model.rotary_emb.inv_freq
        angles = torch.outer(torch.arange(context, device=self.device).float(), frequencies)
        self._rotation = torch.polar(torch.ones_like(angles), angles)  # (context, half)

    def _part(self, layer: Any) -> LinearWeights:
        """A linear layer's own weight and factors, or in fp32 what both come to."""
        part = part_of(layer)
        return part.merged() if self._dtype == torch.float32 else part

    def _kept(self, norm: torch.Tensor) -> torch.Tensor | None:
        """A norm that is not folded into the product behind it, because folding would round."""
        return None if self._dtype == torch.float32 else norm.detach().clone()

    def _product(self, parts: list[LinearWeights], norm: torch.Tensor | None = None) -> Product:
        """Layers that read the same as one product, in the order of memory that is fastest; copied."""
        weight = torch.cat([part.weight for part in parts])
        if self._dtype == torch.float32:
            weight = weight if norm is None else weight * norm
            return Product(weight.t().contiguous())
        if not any(len(part.down) for part in parts):
            return Product(weight.t())
        down = torch.cat([part.down for part in parts])
        up = torch.block_diag(*[part.up for part in parts])
        return Product(weight.t(), down.t().contiguous(), up.t().contiguous())

    def new_cache(self) -> RowCache:
        """An empty cache of the model's shape."""
        return RowCache(len(self._layers), self._pairs, self._width, self._dtype, self.device)

    def __call__(
        self,
        ids: torch.Tensor,
        positions: torch.Tensor,
        mask: torch.Tensor,
        last: torch.Tensor,
        cache: RowCache,
    ) -> torch.Tensor:
        """Logits after each row's last token; shapes as in :class:`gonogo.models.decoder.Forward`."""
        rows, tokens = ids.shape
        width, pairs, heads = self._width, self._pairs, self._heads
        turned = heads + pairs  # heads that are rotated: queries and keys
        # The queries of heads with the same keys follow each other, as if they were further tokens.
        mask = mask.to(self._dtype).repeat(1, 1, heads // pairs, 1)
        # Padding may point past the table; what it says is never looked at.
        rotation = self._rotation[positions.clamp(max=self.context - 1)].unsqueeze(2)
        x = F.embedding(ids, self._embedding).flatten(0, 1)
        size = (x.shape[1],)
        for number, (qkv, out, gate_up, down, before, between) in enumerate(self._layers):
            y = qkv.of(F.rms_norm(x, size, before, self._epsilon))
            y = y.reshape(rows, tokens, -1, width)
            pair = y[:, :, :turned].float().reshape(rows, tokens, turned, -1, 2)
            rotated = torch.view_as_real(torch.view_as_complex(pair) * rotation)
            rotated = rotated.flatten(-2).to(self._dtype).transpose(1, 2)
            query = rotated[:, :heads].reshape(rows, pairs, -1, width)
            keys, values = cache.update(
                rotated[:, heads:], y[:, :, turned:].transpose(1, 2), number
            )
            seen = F.scaled_dot_product_attention(query, keys, values, attn_mask=mask)
            # Its memory has any order: on CUDA another one than on a CPU.
            seen = seen.reshape(rows, heads, tokens, width).transpose(1, 2)
            x = out.added(seen.reshape(rows * tokens, -1), to=x)
            gate, up = gate_up.of(F.rms_norm(x, size, between, self._epsilon)).chunk(2, -1)
            x = down.added(F.silu(gate).mul_(up), to=x)
        final = x.unflatten(0, (rows, tokens))[torch.arange(rows, device=ids.device), last]
        return self._head.of(F.rms_norm(final, size, self._norm, self._epsilon)).float()


class LinearWeights(NamedTuple):
    """A linear layer: weight (out, in), and its active LoRA factors: (ranks, in) and, scaled, (out, ranks)."""

    weight: torch.Tensor
    down: torch.Tensor
    up: torch.Tensor

    def merged(self) -> LinearWeights:
        """The same with the factors in the weight."""
        return LinearWeights(self.weight + self.up @ self.down, self.down[:0], self.up[:, :0])

    def permuted(self, heads: int, order: torch.Tensor) -> LinearWeights:
        """A projection to heads with what each puts out in another order."""
        return LinearWeights(
            permuted(self.weight, heads, order), self.down, permuted(self.up, heads, order)
        )


def part_of(layer: Any) -> LinearWeights:
    """What a linear layer computes, bare or with LoRA."""
    factored = isinstance(layer, LoraLinear)
    weight = layer.get_base_layer().weight if factored else layer.weight
    active = factored and not layer.disable_adapters and not layer.merged
    names = [name for name in layer.active_adapters if name in layer.lora_A] if active else []
    if not names:
        return LinearWeights(
            weight, weight.new_empty(0, weight.shape[1]), weight.new_empty(len(weight), 0)
        )
    down = [layer.lora_A[name].weight for name in names]
    up = [layer.lora_B[name].weight * layer.scaling[name] for name in names]
    return LinearWeights(weight, torch.cat(down), torch.cat(up, 1))


def permuted(weight: torch.Tensor, heads: int, order: torch.Tensor) -> torch.Tensor:
    """A projection (heads * width, any) with the dimensions of each head in another order."""
    return weight.unflatten(0, (heads, len(order)))[:, order].flatten(0, 1)


def is_plain_llama(model: Any) -> bool:
    """Whether :class:`LlamaForward` computes exactly what this model does."""
    model = inner(model)
    config = model.config
    if type(model).__name__ != "LlamaForCausalLM" or model.dtype not in COMPUTED:
        return False
    rope = getattr(config, "rope_parameters", None) or {}
    plain = rope.get("rope_type", "default") == "default"
    return (
        plain
        and not config.attention_bias
        and not config.mlp_bias
        and config.hidden_act == "silu"
        and all(map(is_plain, model.modules()))
    )


def is_plain(module: Any) -> bool:
    """Whether a part of a Llama is its own, or a LoRA of it that :func:`part_of` can read."""
    if isinstance(module, LoraLinear):
        whole = type(module.get_base_layer()) is torch.nn.Linear
        return whole and not module.lora_variant and not any(module.lora_bias.values())
    if isinstance(module, torch.nn.Linear):
        return type(module) is torch.nn.Linear  # and no quantised one
    return not type(module).__module__.startswith("peft.")


def forward_for(model: Any, context: int) -> Forward:
    """The fastest forward that is exact for this model.

    A :class:`LlamaForward` is a snapshot: make a new one after each update of the weights.
    """
    if is_patched(inner(model)):
        return ModulesForward(model, context)
    bytes_copied = sum(weight.numel() * weight.element_size() for weight in model.parameters())
    if is_plain_llama(model) and bytes_copied <= COPIED:
        return LlamaForward(model, context)
    return ModelForward(model, context)


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
