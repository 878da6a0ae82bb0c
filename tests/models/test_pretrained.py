"""A pretrained chat model with LoRA: attached from a seed, trained by SFT and GRPO, saved as factors, found again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

import torch
from tests.training.reloading import difference
from tests.training.small_trainings import (
    chat_folder,
    factors,
)

from gonogo.config import LoraConfig, ModelConfig
from gonogo.errors import Misuse, PolicyFailure
from gonogo.models import saved as models
from gonogo.models.lora import inner
from gonogo.models.pretrained import cast, load_trainable
from gonogo.models.speaker import load_whole
from gonogo.wire import JsonObject as Json

LORA = LoraConfig(rank=4, alpha=8)


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_saved_adapter_comes_back_to_the_same_logits(
    precision: str, chat: Path, tmp_path: Path, told: str
) -> None:
    config = ModelConfig.model_validate(
        {"pretrained": str(chat), "precision": precision, "lora": LORA}
    )
    speaker = load_trainable(config, told, 1)
    ids = torch.arange(40)[None]
    plain = load_whole(chat, dtype=inner(speaker.model).dtype)
    with torch.no_grad():
        assert torch.equal(speaker.model(ids).logits, plain(ids).logits)  # nothing is learned yet
        for name, weight in speaker.model.named_parameters():
            if "lora_B" in name:
                weight.normal_(generator=torch.Generator().manual_seed(3))
        assert not torch.equal(speaker.model(ids).logits, plain(ids).logits)
    models.save(speaker, tmp_path / "m")
    assert difference(speaker, tmp_path / "m") == 0.0
    other = load_trainable(config, told, 2)
    assert not all(torch.equal(w, factors(other)[n]) for n, w in factors(speaker).items())


@pytest.mark.parametrize(
    ("spoil", "model", "said"),
    [
        ({"chat_template": None}, {}, "chat: the tokenizer has no chat template"),
        ({"pad_token": "<|end|>"}, {}, "model.pad_token"),
        ({}, {"pad_token": "<|no|>"}, r"model.pad_token must be a token of .*, not '<\|no\|>'"),
        ({}, {"context": 5000}, "model.context must be at most 4096, .*, not 5000"),
        ({}, {"lora": {"targets": ["q_proj", "w1"]}}, "targets must name layers .* no w1"),
    ],
    ids=["no template", "pad is end", "no such pad", "context", "targets"],
)
def test_a_model_that_cannot_carry_an_episode_says_why(
    spoil: Json, model: Json, said: str, tmp_path: Path, told: str
) -> None:
    folder = chat_folder(tmp_path / "chat", **spoil)
    config = ModelConfig.model_validate_json(json.dumps({"pretrained": str(folder), **model}))
    with pytest.raises(Misuse, match=said):
        load_trainable(config, told, 1)


def test_another_pad_token_mends_a_tokenizer_that_pads_with_its_end(
    tmp_path: Path, told: str
) -> None:
    folder = chat_folder(tmp_path / "chat", pad_token="<|end|>")
    speaker = load_trainable(ModelConfig(pretrained=str(folder), pad_token="<|pad|>"), told, 1)
    assert speaker.turns.pad == speaker.tokenizer.pad_token_id != speaker.turns.end


def test_what_is_no_model_is_a_failure_with_its_reason(tmp_path: Path, told: str) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(Misuse, match=r"no model\.safetensors"):
        load_trainable(ModelConfig(pretrained=str(tmp_path)), told, 1)
    (tmp_path / "model.safetensors").write_bytes(b"no tensors")
    with pytest.raises(PolicyFailure, match="cannot be loaded"):
        load_trainable(ModelConfig(pretrained=str(tmp_path)), told, 1)


def test_memory_that_runs_out_while_a_model_is_loaded_is_no_broken_model(
    chat: Path, monkeypatch: pytest.MonkeyPatch, told: str
) -> None:
    def full(*_: Any, **__: Any) -> None:
        torch.empty(2**60, dtype=torch.uint8)

    monkeypatch.setattr("gonogo.models.pretrained.load_whole", full)
    with pytest.raises(RuntimeError, match="DefaultCPUAllocator"):
        load_trainable(ModelConfig(pretrained=str(chat)), told, 0)


def test_weights_in_16_bit_keep_the_frequencies_of_their_positions(tmp_path: Path) -> None:
    """A GGUF file's are cast after they are read: what its model says far into an episode is what it would say."""
    folder = chat_folder(tmp_path / "chat")
    wanted = load_whole(folder, torch.bfloat16)
    found = cast(load_whole(folder), torch.bfloat16)
    ids = torch.arange(3000)[None] % 200
    with torch.no_grad():
        assert torch.equal(found(ids).logits, wanted(ids).logits)
    assert found.dtype == torch.bfloat16
    assert {weight.dtype for weight in found.parameters()} == {torch.bfloat16}
