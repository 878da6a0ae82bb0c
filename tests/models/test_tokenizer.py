"""Tokens of text and markers of turns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from tests.training.small_trainings import chat_folder
from tokenizers import Regex, pre_tokenizers

from gonogo.errors import Misuse
from gonogo.models.pretrained import load_pretrained, load_whole
from gonogo.models.tokenizer import (
    PIECES,
    SPECIAL,
    begin_by_value,
    encode,
    features,
    scratch_format,
    train_tokenizer,
)

TEXTS = [f"T+{n:04d} s | rate {n * 7 % 100 / 10:+.1f} deg/s | mode hold" for n in range(300)] + [
    '{"burn":"idle","coast_s":%d}' % n for n in range(10, 400)
]


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return train_tokenizer(TEXTS, 400)


def test_every_text_comes_back(tokenizer: Any) -> None:
    odd = "ünïcode 🚀 \n\t  two  spaces , don 't .  <|end|> \x00"
    for text in [*TEXTS[::37], odd, ""]:
        assert tokenizer.decode(encode(tokenizer, text), skip_special_tokens=False) == text


def test_numbers_and_constants_are_tokens() -> None:
    tokenizer = train_tokenizer(TEXTS, 800)  # with room for the numbers
    pieces = [
        tokenizer.decode([i]) for i in encode(tokenizer, "T+0123 s | rate +4.5 deg/s | mode hold")
    ]
    assert [piece for piece in pieces if piece[-1].isdigit()] == ["+0", "123", "+4", ".5"]
    assert " deg/s | mode hold" in pieces  # merges cross spaces and punctuation


def test_a_token_with_digits_is_a_piece_of_a_number_of_three_at_most(tokenizer: Any) -> None:
    for index in range(len(tokenizer)):
        text = tokenizer.decode([index])
        digits = sum(c.isdigit() for c in text)
        assert not digits or (digits <= 3 and set(text) <= set("+-.0123456789"))


def test_a_text_cannot_say_a_marker(tokenizer: Any) -> None:
    markers = set(tokenizer.convert_tokens_to_ids(list(SPECIAL)))
    assert not markers & set(encode(tokenizer, "".join(SPECIAL)))


def test_the_same_texts_give_the_same_tokenizer(tokenizer: Any) -> None:
    again = train_tokenizer(TEXTS, 400)
    assert again.backend_tokenizer.to_str() == tokenizer.backend_tokenizer.to_str()


def test_a_vocabulary_holds_all_bytes() -> None:
    with pytest.raises(Misuse, match="260"):
        train_tokenizer(TEXTS, 100)


def test_turns_of_a_model_from_scratch(tokenizer: Any) -> None:
    turns = scratch_format(tokenizer)
    pad, user, assistant, end = tokenizer.convert_tokens_to_ids(list(SPECIAL))
    assert turns.chunk([9], turn=0) == (user, 9, assistant)
    assert turns.chunk([9], turn=1) == (user, 9, assistant)
    assert turns.chunk([9], turn=1, closed=False) == (end, user, 9, assistant)
    assert (turns.end, turns.pad) == (end, pad)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("T+0410 s", ["T", "+0", "410", " s"]),
        ("by 410 s", ["by ", "410", " s"]),
        ("error +037.2 -135.0", ["error ", "+037", ".2", " ", "-135", ".0"]),
        ("rate -0.07 deg", ["rate ", "-0.07", " deg"]),
        ("12345 of 3.14159", ["12", "345", " of ", "3", ".141", "59"]),
        ("3-4 v0.5.1", ["3", "-4", " v", "0", ".5", ".1"]),
        ("no number", ["no number"]),
    ],
)
def test_a_text_is_cut_around_its_numbers(text: str, pieces: list[str]) -> None:
    cut = pre_tokenizers.Split(Regex(PIECES), "isolated").pre_tokenize_str(text)
    assert [piece for piece, _ in cut] == pieces


@given(st.text(alphabet="0123456789+-. a", max_size=40))
def test_nothing_is_lost_and_a_piece_with_a_digit_is_a_number(text: str) -> None:
    cut = [
        piece for piece, _ in pre_tokenizers.Split(Regex(PIECES), "isolated").pre_tokenize_str(text)
    ]
    assert "".join(cut) == text
    for piece in cut:
        if any(character.isdigit() for character in piece):
            assert np.isfinite(features(piece)).all() and sum(map(str.isdigit, piece)) <= 3


def distance(a: str, b: str) -> float:
    return float(np.linalg.norm(features(a) - features(b)))


def test_near_values_have_near_features() -> None:
    assert distance("37", "38") < distance("37", "60") < distance("37", "-37")
    assert distance("+0.05", "+0.06") < distance("+0.05", "-0.05")
    assert distance("0.25", "0.2") > 0.0


def test_numbers_begin_by_their_value_and_words_as_they_were() -> None:
    names = ["<|end|>", " deg", *(str(n) for n in range(100)), "x1"]
    drawn = torch.randn(len(names), 32, generator=torch.Generator().manual_seed(1))
    begun = drawn.clone()
    begin_by_value(begun, {name: index for index, name in enumerate(names)})
    assert torch.equal(begun[[0, 1, -1]], drawn[[0, 1, -1]])
    rows = begun[2:-1]
    assert rows.norm(dim=1).mean().item() == pytest.approx(drawn.norm(dim=1).mean().item(), rel=0.1)
    beside = torch.cosine_similarity(rows[10:-1], rows[11:]).mean()
    beyond = torch.cosine_similarity(rows[10:50], rows[50:90]).mean()
    assert beside > 0.8 and beside > beyond + 0.2


def test_a_vocabulary_without_numbers_is_left_alone() -> None:
    drawn = torch.ones(3, 4)
    begin_by_value(drawn, {"a": 0, "+": 1, ".": 2})
    assert torch.equal(drawn, torch.ones(3, 4))


def test_the_order_of_the_vocabulary_is_no_matter() -> None:
    names = {str(n): n for n in range(300)}
    begun = []
    for vocabulary in (names, dict(reversed(names.items()))):
        torch.manual_seed(7)
        begun.append(torch.randn(len(names), 32))
        begin_by_value(begun[-1], vocabulary)
    assert torch.equal(*begun)


def test_told_something_else_it_is_the_same_model(chat: Path) -> None:
    speaker = load_pretrained(str(chat), 256, "Walk north.")
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
