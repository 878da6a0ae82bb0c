"""Shapes out of transformers' configs and of GGUF files."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the train extra is not installed")

import torch
import transformers

from gonogo.config import ModelConfig, load_candidates
from gonogo.errors import MissingExtra, PolicyFailure
from gonogo.models import machine, memory
from gonogo.models.weights import find_weights, open_weights
from gonogo.rollouts.action_codec import Codec


def test_a_gguf_file_without_its_package_names_the_extra(
    codec: Codec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "some.gguf"
    file.write_bytes(b"GGUF")
    monkeypatch.setattr(memory, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"gonogo\[gguf\]"):
        open_weights(find_weights(str(file)), codec, max_reply_tokens=4, reply_timeout_s=1)


QWEN3 = transformers.Qwen3Config(
    hidden_size=64, intermediate_size=96, num_hidden_layers=3, num_attention_heads=4,
    num_key_value_heads=2, head_dim=32, vocab_size=100, tie_word_embeddings=False,
)  # fmt: skip


def test_a_shape_counts_the_weights_of_transformers_own_model() -> None:
    for config in (
        QWEN3,
        transformers.LlamaConfig(**scratch_words()),
        transformers.Qwen2Config(**scratch_words()),
    ):
        shape = memory.shape_of(config)
        assert shape is not None
        with torch.device("meta"):
            model = transformers.AutoModelForCausalLM.from_config(config)
        assert shape.parameters == sum(weight.numel() for weight in model.parameters())


def scratch_words() -> dict[str, int]:
    return {
        "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": 2, "vocab_size": 300,
    }  # fmt: skip


def test_a_kind_that_the_formulas_are_not_about_has_no_shape() -> None:
    assert memory.shape_of(transformers.GPT2Config()) is None
    machine.check_memory(None)


def test_what_this_machines_memory_does_not_hold_is_refused() -> None:
    shape = memory.shape_of(QWEN3)
    assert shape is not None
    machine.check_memory(shape)
    with pytest.raises(PolicyFailure, match="serve it elsewhere"):
        machine.check_memory(shape.model_copy(update={"layers": 10**9}))


def test_the_model_that_a_config_means_is_known_without_its_weights(tmp_path: Path) -> None:
    made = memory.plan_of(ModelConfig(hidden=32, heads=2, context=77), ())
    assert made.shape is not None
    assert (made.shape.head_width, made.context, made.source) == (16, 77, "the config")
    QWEN3.save_pretrained(tmp_path)
    held = memory.plan_of(ModelConfig(pretrained=str(tmp_path)), ())
    assert (held.shape, held.source) == (memory.shape_of(QWEN3), str(tmp_path))
    assert held.context == QWEN3.max_position_embeddings
    candidates = load_candidates()
    listed = next(each for each in candidates if each.repository)
    found = memory.plan_of(ModelConfig(pretrained=listed.repository), candidates)
    assert (found.shape, found.context) == (listed.architecture, listed.context)
    nowhere = memory.plan_of(ModelConfig(pretrained="some/body"), candidates)
    assert (nowhere.shape, nowhere.context) == (None, None)
    (tmp_path / "config.json").write_text('{"model_type": "no such thing"}')
    with pytest.raises(PolicyFailure, match="its config cannot be read"):
        memory.plan_of(ModelConfig(pretrained=str(tmp_path)), ())
