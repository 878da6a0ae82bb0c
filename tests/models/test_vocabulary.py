"""Tokens of text and markers of turns."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("transformers", reason="the train extra is not installed")

from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from gonogo.errors import Misuse
from gonogo.models.chat import chat_format
from gonogo.models.vocabulary import SPECIAL, encode, scratch_format, train_tokenizer

TEXTS = [f"T+{n:04d} s | rate {n * 7 % 100 / 10:+.1f} deg/s | mode hold" for n in range(300)] + [
    '{"burn":"idle","coast_s":%d}' % n for n in range(10, 400)
]

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


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


def chat(template: str | None, **special: str) -> Any:
    """A byte-level tokenizer with ChatML's special tokens and a template."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    inner = Tokenizer(models.BPE({c: i for i, c in enumerate(alphabet)}, []))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    inner.add_special_tokens(["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
    given = {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"} | special
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, **given)
    tokenizer.chat_template = template
    return tokenizer


@pytest.mark.parametrize("system", [None, "Fly well."])
def test_a_chat_template_is_cut_into_pieces_that_make_it_again(system: str | None) -> None:
    tokenizer = chat(CHATML)
    turns = chat_format(tokenizer, system)
    talk = [] if system is None else [{"role": "system", "content": system}]
    talk += [
        {"role": "user", "content": "one 1"},
        {"role": "assistant", "content": "two"},
        {"role": "user", "content": "three"},
    ]
    rendered = tokenizer.apply_chat_template(talk, tokenize=False, add_generation_prompt=True)
    ours = [
        *turns.chunk(encode(tokenizer, "one 1"), turn=0), *encode(tokenizer, "two"), turns.end,
        *turns.chunk(encode(tokenizer, "three"), turn=1),
    ]  # fmt: skip
    assert ours == tokenizer.encode(rendered, add_special_tokens=False)


def test_another_system_prompt_is_told_without_the_template() -> None:
    tokenizer = chat(CHATML)
    turns = chat_format(tokenizer, "Fly well.")
    assert turns.told(tokenizer, "Dial.") == chat_format(tokenizer, "Dial.")
    assert turns.told(tokenizer, "Fly well.") == turns
    silent = chat_format(tokenizer)
    assert silent.told(tokenizer, "Dial.") == silent
    mute = "{% for m in messages if m['role'] != 'system' %}" + CHATML.partition("%}")[2]
    told = chat_format(chat(mute), "Fly well.").told(tokenizer, "Dial.")
    ahead = tokenizer.encode("<|im_start|>user\nDial.\n\n", add_special_tokens=False)
    assert list(told.first) == ahead  # of what is observed
    assert chat_format(chat(mute)).around_system is None


@pytest.mark.parametrize(
    ("template", "special", "rule"),
    [
        (None, {}, "no chat template"),
        ("{{ messages[-1]['content'] }}", {}, "leaves out"),
        ("x{% for m in messages %}{{ m['content'] | upper }}{% endfor %}", {}, "beginning|leaves out"),
        ("{% for m in messages %}[{{ m['role'] }}]{{ m['content'] }}{% endfor %}[assistant]", {},
         "beginning|special token|different ways"),
        (CHATML, {"pad_token": "<|im_end|>"}, "pad token"),
    ],
)  # fmt: skip
def test_a_template_that_cannot_carry_an_episode_is_refused(
    template: str | None, special: dict[str, str], rule: str
) -> None:
    with pytest.raises(Misuse, match=rule):
        chat_format(chat(template, **special))
