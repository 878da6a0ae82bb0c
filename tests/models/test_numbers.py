"""Numbers keep their sign and their hundreds together, and their tokens begin beside their neighbours."""

from __future__ import annotations

import pytest

pytest.importorskip("transformers", reason="the train extra is not installed")

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Regex, pre_tokenizers

from gonogo.models.numbers import PIECES, begin_by_value, features


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
