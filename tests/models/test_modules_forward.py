"""The forward by linear layers: what a model's own forward says, with LoRA and with every kind of relative."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("peft", reason="the train extra is not installed")

import torch
import transformers

from gonogo.config import LoraConfig
from gonogo.errors import Misuse, PolicyFailure
from gonogo.models.forwards import LlamaForward, ModelForward, forward_for
from gonogo.models.lora import attach
from gonogo.models.modules_forward import ModulesForward
from gonogo.models.unsloth import check_decoding

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


def tiny(kind: str, dtype: torch.dtype = torch.float32, **extra: Any) -> Any:
    """A model of no sense with LoRA factors that do something."""
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
    made = attach(model.to(dtype), LoraConfig(rank=2, alpha=4), 1)
    with torch.no_grad():
        for name, weight in made.named_parameters():
            if "lora_B" in name:
                weight.normal_(std=0.2, generator=torch.Generator().manual_seed(4))
    return made.eval()


@pytest.mark.parametrize("kind", KINDS)
def test_it_says_what_the_models_own_forward_says(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gonogo.models import unsloth as unsloth_models

    model = tiny(kind)
    monkeypatch.setattr(unsloth_models, "ROUNDING", 1e-5)
    check_decoding(model, ModulesForward(model, 256))


def test_sixteen_bits_drift_by_rounding_only() -> None:
    model = tiny("qwen2", torch.bfloat16)
    check_decoding(model, ModulesForward(model, 256))


def test_a_forward_that_leaves_the_factors_out_is_noticed() -> None:
    model = tiny("llama")
    with model.disable_adapter():
        plain = tiny("llama").unload()
    with pytest.raises(PolicyFailure, match=r"disagree by .*set model.loader to transformers"):
        check_decoding(model, ModelForward(plain, 256))


def test_what_it_does_not_cover_is_refused() -> None:
    with pytest.raises(Misuse, match="this mistral is not"):
        ModulesForward(tiny("mistral", sliding_window=8), 256)


def test_it_is_chosen_where_unsloth_has_patched_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny("llama")
    assert isinstance(forward_for(model, 64), LlamaForward)
    monkeypatch.setattr(type(model.get_base_model().model).forward, "__module__", "unsloth.models")
    assert isinstance(forward_for(model, 64), ModulesForward)
