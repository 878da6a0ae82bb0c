"""The shipped candidates: their shapes against transformers' own modules and against published counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gonogo.config import Architecture, load_candidates
from gonogo.errors import ConfigError

CANDIDATES = {candidate.name: candidate for candidate in load_candidates()}
PUBLISHED = {
    "SmolLM2-135M-Instruct": 134.5e6,
    "Qwen2.5-7B-Instruct": 7.61e9,
    "Llama-3.1-8B-Instruct": 8.03e9,
}
PROMISED = {
    "Qwen2.5-7B-Instruct", "Qwen2.5-14B-Instruct", "Llama-3.1-8B-Instruct", "Llama-3.3-70B-Instruct",
    "Mistral-7B-Instruct-v0.3", "DeepSeek-R1-Distill-Qwen-7B", "SmolLM2-135M-Instruct",
    "SmolLM2-360M-Instruct", "SmolLM2-1.7B-Instruct",
}  # fmt: skip


def shape(name: str) -> Architecture:
    found = CANDIDATES[name].architecture
    assert found is not None
    return found


def test_the_promised_models_are_there() -> None:
    assert set(CANDIDATES) >= PROMISED
    assert sum(name.startswith("Qwen3") for name in CANDIDATES) >= 3


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_weights_counted_are_the_published_ones(name: str) -> None:
    assert shape(name).parameters == pytest.approx(PUBLISHED[name], rel=0.002)


@pytest.mark.parametrize("name", CANDIDATES)
def test_the_weights_counted_are_those_of_transformers_own_modules(name: str) -> None:
    torch = pytest.importorskip("torch")
    from transformers import AutoModelForCausalLM

    from gonogo.models.memory import shape_of

    config = transformers_config(shape(name))
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    assert shape(name).parameters == sum(weight.numel() for weight in model.parameters())
    assert shape_of(config) == shape(name)


def transformers_config(known: Architecture) -> Any:
    from transformers import LlamaConfig, Qwen2Config, Qwen3Config

    kind = Qwen2Config if known.qkv_bias else Qwen3Config if known.head_norms else LlamaConfig
    return kind(
        hidden_size=known.hidden,
        num_hidden_layers=known.layers,
        num_attention_heads=known.heads,
        num_key_value_heads=known.kv_heads,
        head_dim=known.head_width,
        intermediate_size=known.intermediate,
        vocab_size=known.vocabulary,
        tie_word_embeddings=known.tied,
    )


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("- {name: ''}", "name: String should have at least 1"),
        ("- {name: x, unsloth: true}", "sources must say where unsloth was read"),
        ("- {name: x, licence: 3}", "licence: Input should be a valid string"),
        ("name: x", "valid list"),
        ("[", "not YAML"),
    ],
)
def test_a_file_that_breaks_a_rule_is_named(text: str, rule: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=rule) as caught:
        load_candidates(file)
    assert str(file) in str(caught.value)


def test_an_entry_replaces_the_shipped_one_of_its_name(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("- {name: Qwen3-8B, context: 8}")
    found = {candidate.name: candidate for candidate in load_candidates(file)}
    assert found["Qwen3-8B"].context == 8
    assert len(found) == len(CANDIDATES)
