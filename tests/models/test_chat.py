"""A chat template is cut into the pieces of turns, or refused with the reason."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("transformers", reason="the train extra is not installed")

from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from gonogo.errors import Misuse
from gonogo.models.chat import chat_format
from gonogo.models.tokenizer import encode

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


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
