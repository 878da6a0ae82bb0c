"""Tokens of text and markers of turns."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("transformers", reason="the train extra is not installed")


from gonogo.errors import Misuse
from gonogo.models.vocabulary import SPECIAL, encode, scratch_format, train_tokenizer

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
