"""A model with its tokenizer: told something else it shares its weights; loaded, all its weights are there."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

import torch
from safetensors.torch import load_file, save_file
from tests.training.small_trainings import chat_folder

from gonogo.errors import Misuse
from gonogo.models import saved as models
from gonogo.models.speaker import load_whole


def test_told_something_else_it_is_the_same_model(chat: Path) -> None:
    speaker = models.load_pretrained(str(chat), 256, "Walk north.")
    other = speaker.told("Walk south.")
    assert other.model is speaker.model and other.context == speaker.context
    assert other.turns.first != speaker.turns.first
    assert other.told("Walk north.").turns == speaker.turns


def test_all_weights_are_read_in_the_type_that_is_wanted(chat: Path) -> None:
    model = load_whole(chat, torch.bfloat16)
    assert {weight.dtype for weight in model.parameters()} == {torch.bfloat16}
    assert not model.training


def test_weights_that_are_missing_are_not_drawn_at_random(tmp_path: Path) -> None:
    folder = chat_folder(tmp_path / "chat")
    file = folder / "model.safetensors"
    held = {name: weight for name, weight in load_file(file).items() if "layers.1.mlp" not in name}
    save_file(held, file, {"format": "pt"})
    with pytest.raises(Misuse, match=r"3 of its weights are not there, such as model\.layers\.1"):
        load_whole(folder)
    file.rename(folder / "pytorch_model.bin")
    with pytest.raises(Misuse, match=r"no model\.safetensors"):
        load_whole(folder)
