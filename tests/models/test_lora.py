"""Factors beside frozen weights: from a seed, found again in a folder, refused where they are another model's."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

import torch
from peft import PromptTuningConfig, get_peft_model
from tests.models.tiny_models import tiny, with_factors
from tests.training.small_trainings import (
    factors,
)

from gonogo.config import LoraConfig, ModelConfig
from gonogo.errors import MissingRecord, Misuse
from gonogo.models import saved as models
from gonogo.models.lora import attach, check_targets, inner, reattach
from gonogo.models.pretrained import load_trainable

LORA = LoraConfig(rank=4, alpha=8)


def test_factors_follow_the_seed_and_the_global_state_stays(chat: Path, told: str) -> None:
    config = ModelConfig(pretrained=str(chat), lora=LORA)
    before = torch.random.get_rng_state()
    first, again = (factors(load_trainable(config, told, 1)) for _ in range(2))
    assert torch.equal(torch.random.get_rng_state(), before)
    assert all(torch.equal(first[name], again[name]) for name in first)


def test_an_adapter_of_another_model_is_refused(chat: Path, tmp_path: Path, told: str) -> None:
    speaker = load_trainable(ModelConfig(pretrained=str(chat), lora=LORA), told, 1)
    models.save(speaker, tmp_path / "m")
    wide = models.make(
        ModelConfig(hidden=64, intermediate=48, layers=2, heads=2), speaker.tokenizer, 1
    )
    wide.model.save_pretrained(tmp_path / "other")
    speaker.tokenizer.save_pretrained(tmp_path / "other")
    card = tmp_path / "m" / "gonogo_model.json"
    card.write_text(card.read_text().replace(str(chat), str(tmp_path / "other")))
    with pytest.raises(MissingRecord, match="no adapter for this model"):
        models.load(tmp_path / "m")


def test_new_factors_change_nothing_and_all_else_is_frozen() -> None:
    model = tiny()
    ids = torch.arange(6, 20)[None]
    with torch.no_grad():
        before = model(ids).logits
        made = attach(model, LoraConfig(rank=2, alpha=4, targets=("q_proj",)), 1).eval()
        assert torch.equal(made(ids).logits, before)
    learns = [name for name, weight in made.named_parameters() if weight.requires_grad]
    assert learns and all("q_proj.lora_" in name for name in learns)


def test_a_target_that_is_no_layer_is_refused() -> None:
    check_targets(tiny(), LoraConfig())
    with pytest.raises(Misuse, match=r"it has no w1, w2$"):
        check_targets(tiny(), LoraConfig(targets=("q_proj", "w1", "w2")))


def test_the_model_inside_is_transformers_own() -> None:
    plain, factored = tiny(), with_factors("llama")
    assert inner(plain) is plain
    assert type(inner(factored)) is type(plain)
    prompt = PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=3)
    with pytest.raises(Misuse, match="not PROMPT_TUNING"):
        inner(get_peft_model(plain, prompt))


def test_a_folder_without_factors_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingRecord, match="no adapter for this model"):
        reattach(tiny(), tmp_path)
