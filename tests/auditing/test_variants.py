"""Texts near an answer: each once, none the answer itself, the same said otherwise and nearly the same."""

from __future__ import annotations

import json
from itertools import islice

import pytest

from gonogo.auditing.variants import variants

LIST = '[["a", "b"], ["c"]]'


def texts(text: str, *others: str, shown: tuple[str, ...] = ()) -> dict[str, str]:
    """The variants of a text by name."""
    return dict(variants(text, others, shown))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "J10",
        "-3.5",
        LIST,
        "A=1,B=2",
        "1 2\n3 4",
        r"\boxed{\frac{1}{2}}",
        "<think>a</think>7",
        "(((",
    ],
)
def test_each_text_comes_once_and_is_not_the_answer(text: str) -> None:
    told = list(variants(text, ["another"]))
    assert told and len({changed for _, changed in told}) == len(told)
    assert text not in {changed for _, changed in told}
    assert len({name for name, _ in told}) == len(told)


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("J10", "3 for its first number", "J3"),
        ("3.0 - 9.0i", "its first number in its other form", "3 - 9.0i"),
        ("(7, 8)", "its numbers 1 and 2 swapped", "(8, 7)"),
        ("x", "in a box", r"\boxed{x}"),
        (LIST, "its items backwards", '[["c"], ["a", "b"]]'),
        (LIST, "all its lists backwards", '[["c"], ["b", "a"]]'),
        (LIST, "null for its first item", '[null, ["c"]]'),
        ("[1, 2]", "as narrow JSON", "[1,2]"),
        ("['a', 'b']", "as JSON", '["a", "b"]'),
        ("['a', 'b']", "its last item left out", "['a']"),
        ("1 2\n3 4", "its parts by line backwards", "3 4\n1 2"),
        ("1 2\n3 4", "its parts by line in brackets, a list each", "[['1', '2'], ['3', '4']]"),
        ("A=1,B=2", "the values of its names 1 and 2 swapped", "A=2,B=1"),
        ("A=1,B=2", "its first name without a value", "A,B=2"),
        ("A=1,B=2", "the same value for all its names", "A=1,B=1"),
        (r"\boxed{\frac{1}{2}}", "as a decimal", r"\boxed{0.5}"),
        ("1/2", "as a fraction in LaTeX", r"\frac{1}{2}"),
        ("42", "as a fraction", "42/1"),
        (r"\boxed{4}", "another box before it", r"\boxed{0} \boxed{4}"),
        ("<think>a</think>7", "its tag left open", "<think>a7"),
        ("red fish!", "its words 1 and 2 swapped", "fish red!"),
        ("nine", "its first word's last letter another", "ninf"),
        ("4*(3 + 2)", "with its last number added and taken away", "4*(3 + 2) + 2 - 2"),
        ("4*(3 + 2)", "times its first number and by it", "(4*(3 + 2)) * 4 / 4"),
        ("4*(3 + 2)", "with little of its last number added", "4*(3 + 2) + 2/2/2/2"),
        (r"\boxed{1 + 2}", "with nothing added", r"\boxed{1 + 2 + 0}"),
        ("F R U", "2 after its first part by space", "F2 R U"),
        ("F R U", "3 of its first part by space", "F F F R U"),
    ],
)
def test_a_change_is_what_its_name_says(text: str, name: str, expected: str) -> None:
    assert texts(text)[name] == expected


def test_only_what_is_calculated_is_calculated_otherwise() -> None:
    assert "with nothing added" in texts("3 - 2")
    for text in ("3", "-3", "well-known 3", "3, -2", "C4"):
        assert "with nothing added" not in texts(text)


def test_what_the_question_shows_before_an_answer_stands_before_this_one() -> None:
    asked = "Say what you see: nothing else.\nFINAL ANSWER:\nA=1"
    told = texts("B=2", shown=(asked,))
    assert told["after a line that the question shows, 1"] == "FINAL ANSWER:\nB=2"
    assert "after a line that the question shows, 2" not in told


def test_the_answer_to_another_question_stands_beside_it() -> None:
    told = texts("right", "other")
    assert told["the answer to another seed"] == "other"
    assert told["beside the answer to another seed"] == "right other"


def test_the_families_take_turns_so_that_the_first_few_are_of_every_kind() -> None:
    first = [name for name, _ in variants(LIST)][:6]
    assert "nothing" in first and "in a box" in first
    assert any("first word" in name for name in first)
    assert any("by comma" in name for name in first)


def test_an_object_keeps_its_names() -> None:
    told = texts(json.dumps({"a": 1, "b": [2]}))
    assert json.loads(told["its items in the next place"]) == {"a": [2], "b": 1}
    assert json.loads(told["its items backwards"]) == {"b": [2], "a": 1}
    assert json.loads(told["its innermost values null"]) == {"a": None, "b": [None]}


def test_an_answer_with_a_number_that_no_float_holds_is_changed_all_the_same() -> None:
    for text in ("7" * 400, "-" + "7" * 5000, "1/" + "3" * 400, "[" * 100_000):
        assert len(list(islice(variants(text), 20))) == 20
