"""Models are the same from the same seed, and come back as they were saved."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

import torch
from tests.training.reloading import difference

from gonogo.config import ModelConfig
from gonogo.errors import MissingRecord
from gonogo.models import saved as models
from gonogo.models.tokenizer import Speaker, encode, train_tokenizer

TEXTS = [f"number {n} of many" for n in range(99)]
SMALL = ModelConfig(hidden=32, intermediate=48, layers=2, heads=4, vocabulary=300, context=128)


def speaker(seed: int = 1, config: ModelConfig = SMALL) -> Speaker:
    return models.make(config, train_tokenizer(TEXTS, config.vocabulary), seed)


@pytest.mark.parametrize("architecture", ["llama", "qwen2"])
def test_a_saved_model_comes_back(tmp_path: Path, architecture: str) -> None:
    config = SMALL.model_copy(update={"architecture": architecture, "key_value_heads": 2})
    made = speaker(config=config)
    models.save(made, tmp_path / "m")
    assert difference(made, tmp_path / "m") == 0.0
    back = models.load(tmp_path / "m")
    assert (back.turns, back.context) == (made.turns, 128)
    text = 'T+0 <|end|> {"a":1}  ok'
    assert encode(back.tokenizer, text) == encode(made.tokenizer, text)
    assert (tmp_path / "m" / "model.safetensors").is_file()


def test_weights_follow_the_seed_and_the_global_state_stays() -> None:
    before = torch.random.get_rng_state()
    first, again, other = (speaker(seed).model.state_dict() for seed in (1, 1, 2))
    assert torch.equal(torch.random.get_rng_state(), before)
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not all(torch.equal(first[name], other[name]) for name in first)


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingRecord, match="no model"):
        models.load(tmp_path / "nowhere")
    (tmp_path / "gonogo_model.json").write_text('{"context": 3, "turns": {"first": 1}}')
    with pytest.raises(MissingRecord, match="no model"):
        models.load(tmp_path)


def test_models_are_made_and_loaded_where_the_machine_trains(
    chat: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokenizer = train_tokenizer(TEXTS, 320)
    shape = ModelConfig(hidden=32, intermediate=48, layers=2, heads=2, context=512)
    models.save(models.make(shape, tokenizer, 0), tmp_path / "made")
    monkeypatch.setattr(models, "device", lambda: "meta")  # there is no GPU here
    assert models.load(tmp_path / "made").model.device.type == "meta"
    assert models.make(shape, tokenizer, 0).model.device.type == "meta"
