"""Models of no sense, and what they say by transformers' own means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
import transformers
from peft import LoraConfig, get_peft_model

from gonogo.config import LoraConfig as Factors
from gonogo.models.decoder import Decoder
from gonogo.models.forwards import LlamaForward, ModelForward
from gonogo.models.pretrained import attach
from gonogo.models.sampling import Sampled

STOP, PAD, VOCABULARY = 5, 0, 96


def tiny(kind: str = "llama", key_value_heads: int = 2, **extra: Any) -> Any:
    configuration, architecture = {
        "llama": (transformers.LlamaConfig, transformers.LlamaForCausalLM),
        "qwen2": (transformers.Qwen2Config, transformers.Qwen2ForCausalLM),
    }[kind]
    config = configuration(
        vocab_size=VOCABULARY, hidden_size=32, intermediate_size=48, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=key_value_heads, tie_word_embeddings=True,
        pad_token_id=PAD, eos_token_id=STOP, bos_token_id=None, initializer_range=0.3, **extra,
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        model = architecture(config).eval()
        with torch.no_grad():
            for name, weight in model.named_parameters():
                if "norm" in name:
                    weight.add_(torch.randn_like(weight) * 0.1)
    return model


def chunks_of(rng: np.random.Generator, rows: int, turns: int) -> list[list[list[int]]]:
    """Observations: [turn][row] of different lengths."""
    return [
        [rng.integers(6, VOCABULARY, rng.integers(1, 9)).tolist() for _ in range(rows)]
        for _ in range(turns)
    ]


def decoder(forward: Any, temperature: float | None = None) -> Decoder:
    return Decoder(forward, stop=STOP, pad=PAD, max_new_tokens=6, temperature=temperature)


def teacher_forced(model: Any, history: Sequence[int], reply: Sampled) -> Any:
    """Log-probabilities of a reply after its history, in one forward pass without a cache."""
    ids = torch.tensor([[*history, *reply.ids]])
    with torch.inference_mode():
        scores = model(ids).logits[0].log_softmax(-1)
    where = torch.arange(len(history) - 1, len(history) + len(reply.ids) - 1)
    return scores[where, torch.tensor(reply.ids)]


CASES = [("llama", LlamaForward), ("llama", ModelForward), ("qwen2", ModelForward)]


def with_factors(kind: str, bits: int = 32, **extra: Any) -> Any:
    """A model with LoRA factors (in fp32) that change what it says, in training, with dropout."""
    factors = LoraConfig(
        r=4, lora_alpha=8, lora_dropout=0.5, target_modules=["q_proj", "v_proj", "down_proj"],
        init_lora_weights=False, **extra,
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        model = tiny(kind).to(torch.bfloat16 if bits == 16 else torch.float32)
        return get_peft_model(model, factors).train()


def generated(model: Any, history: Sequence[int], longest: int = 6) -> list[int]:
    """What transformers' generate says after a history, greedily."""
    with torch.inference_mode():
        full = model.generate(
            input_ids=torch.tensor([history]), attention_mask=torch.ones(1, len(history)),
            max_new_tokens=longest, do_sample=False, eos_token_id=STOP, pad_token_id=PAD,
        )  # fmt: skip
    said: list[int] = full[0, len(history) :].tolist()
    return said


KINDS = {
    "llama": (transformers.LlamaConfig, transformers.LlamaForCausalLM, {}),
    "mistral": (
        transformers.MistralConfig,
        transformers.MistralForCausalLM,
        {"sliding_window": None},
    ),
    "qwen2": (transformers.Qwen2Config, transformers.Qwen2ForCausalLM, {}),
    "qwen3": (transformers.Qwen3Config, transformers.Qwen3ForCausalLM, {"head_dim": 16}),
}


def tuned(kind: str, dtype: torch.dtype = torch.float32, **extra: Any) -> Any:
    """A model of a kind with LoRA factors that do something."""
    configuration, architecture, own = KINDS[kind]
    config = configuration(
        vocab_size=96, hidden_size=32, intermediate_size=48, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, initializer_range=0.3, **{**own, **extra},
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        model = architecture(config)
        with torch.no_grad():
            for weight in model.parameters():
                weight.add_(torch.randn_like(weight) * 0.05)
    made = attach(model.to(dtype), Factors(rank=2, alpha=4), 1)
    with torch.no_grad():
        for name, weight in made.named_parameters():
            if "lora_B" in name:
                weight.normal_(std=0.2, generator=torch.Generator().manual_seed(4))
    return made.eval()
