"""A pattern's literal texts are found, and nothing else is taken for one."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gonogo.env.worker import pattern_texts as module
from gonogo.env.worker.pattern_texts import pattern_texts


def texts(pattern: str, flags: int = 0) -> list[str] | None:
    found = pattern_texts(pattern, re.compile(pattern, flags).flags)
    return None if found is None else list(found.texts)


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("red", ["red"]),
        (r"^\Ared\b\Z$", ["red"]),
        (r"(?<![\w-])red(?![\w()\]-])", ["red"]),
        (r"\s*red\s+fox\s*", ["red fox"]),
        (r"red ?fox +x\sy", ["redfox x y"]),
        ("(red)", ["red"]),
        (r"\b(?:red|blue|red)\b", ["red", "blue"]),
        ("red|blue", ["red", "blue"]),
        ("answer: (?P<is>yes|no)", ["answer: yes", "answer: no"]),
        ("colou?r", ["colour", "color"]),
        ("(re)?d", ["red", "d"]),
        ("(?>re)d", ["red"]),
        ("(?i:red)", ["red"]),
        (r"a\.b\-c\n[.][ ]\[", ["a.b-c\n. ["]),
        ("a{b}{", ["a{b}{"]),
        ("a]b}", ["a]b}"]),
        ("a(|b)", ["a", "ab"]),
        ("[ab]c", ["ac", "bc"]),
        (r"\x41", ["A"]),
        ("(?x: r e d)", ["red"]),
        ("(?#note)red", ["red"]),
    ],
)
def test_literals_and_alternatives_are_read(pattern: str, told: list[str]) -> None:
    assert texts(pattern) == told


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        r"\b",
        r"\s+",
        "r.d",
        "re*d",
        "re+d",
        "re{2}d",
        "re{,2}d",
        r"\d",
        r"\w+",
        "[^a]",
        "[a-z]",
        r"(a)\1",
        "(?=red)",
        "(?<=a)red",
        "(?P<x>a)(?P=x)",
        "(a)?(?(1)b|c)",
        "red|r.d",
        "(a|b)" * 7,
        "|".join(map(str, range(65))),
        "a" * (module.MOST_PATTERN + 1),
    ],
)
def test_anything_else_has_no_texts(pattern: str) -> None:
    assert texts(pattern) is None


@pytest.mark.parametrize("pattern", ["(red", "red)", "re\\", "[red", "*red", "(?<!a", "(?", "["])
def test_what_is_no_pattern_has_none(pattern: str) -> None:
    with pytest.raises(re.error):
        re.compile(pattern)
    assert pattern_texts(pattern, 0) is None


def test_case_and_number_are_told() -> None:
    for found in map(pattern_texts, ("(?i)Red", "(?i:Red)", "Red"), (0, 0, int(re.I))):
        assert found is not None
        assert (found.is_one, found.ignores_case) == (True, True)
        assert found.has("Red", "a RED fox")
    found = pattern_texts("Red|", 0)
    assert found is not None
    assert (found.texts, found.is_one, found.has("Red", "red")) == (("Red",), False, False)
    assert texts("r e d", re.VERBOSE) == ["red"]


def test_without_python_s_parser_no_pattern_has_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PARSER", None)
    assert pattern_texts("red without a parser", 0) is None


@settings(max_examples=300, deadline=None)
@given(words=st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=4))
def test_escaped_texts_are_found_again(words: list[str]) -> None:
    pattern = "|".join(rf"(?<!\w)({re.escape(word)})$" for word in words)
    found = pattern_texts(pattern, 0)
    told = tuple(word for word in dict.fromkeys(words) if word.strip())
    assert (() if found is None else found.texts) == told


PARTS = [
    "a",
    "b",
    " ",
    "(",
    ")",
    "(?:",
    "(?i:",
    "|",
    "?",
    "*",
    "+",
    r"\s",
    r"\b",
    "^",
    "$",
    "[",
    "]",
    "{2}",
    r"\.",
    ".",
]


@pytest.mark.filterwarnings("ignore:Possible")
@settings(max_examples=1000, deadline=None)
@given(pattern=st.lists(st.sampled_from(PARTS), max_size=8).map("".join))
def test_a_pattern_without_anchors_is_found_in_its_texts(pattern: str) -> None:
    found = pattern_texts(pattern, 0)
    if found is None:
        return
    compiled = re.compile(pattern)  # whatever has texts is a pattern
    if not any(anchor in pattern for anchor in ("^", "$", r"\b")):
        assert all(compiled.search(text) for text in found.texts)
