"""The rule that says success: what it may name, what a step shows of it, and how much it may work out."""

from __future__ import annotations

from typing import Any

import pytest

from gonogo.env.success import SuccessRule

FIELDS = ("total", "text", "reward")


def says(expression: str, done: bool = True, metadata: Any = None, **shown: Any) -> bool | None:
    """What the rule says of a step."""
    return SuccessRule(expression, FIELDS).says(shown, metadata or {}, done)


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("total == 6", True),
        ("observation['total'] > 6", False),
        ("done and metadata.level == 2", True),
        ("metadata['components'].speed > 0.5", True),
        ("any(word == 'a' for word in text.split())", True),
        ("round(total / 4) == 2 and max([1, total]) == 6", True),
        ("total % 4 == 2 and total ** 2 == 36", True),
    ],
)
def test_it_reads_what_a_step_shows(expression: str, said: bool) -> None:
    told = {"level": 2, "components": {"speed": 0.9}}
    assert says(expression, metadata=told, total=6, text="a b") is said


@pytest.mark.parametrize(
    "expression",
    ["total > 0", "metadata.level == 2", "observation.absent == 1", "text[3] == 'x'", "None"],
)
def test_what_a_step_does_not_show_is_no_success(expression: str) -> None:
    assert says(expression) is None


def test_what_a_given_reward_put_in_the_components_place_is_not_looked_at() -> None:
    told = {"components": {"mine": 1}, "environment_components": {"own": 1}}
    assert says("metadata.components.own == 1", metadata=told) is True
    assert says("metadata.components.mine == 1", metadata=told) is None


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("reward > 0", "not reward"),
        ("totl == 3", "not totl; total is nearest to totl"),
        ("total ==", "must be an expression, not 'total =='"),
        ("-" * 2000 + "total", "at most 2000 characters, not of 2005"),
        ("not " * 70 + "done", "nests at most 60 deep"),
    ],
)
def test_an_expression_that_is_none_is_refused_with_the_rule(expression: str, said: str) -> None:
    with pytest.raises(ValueError, match="success") as caught:
        SuccessRule(expression, FIELDS)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("total", "must be true or false, not 6"),
        ("10 ** 101 > 1", "too large a number"),
        ("round(total, 10 ** 9) == 0", "no 1000000000 digits to round"),
        ("'%9d' % 3 == text", "a text has no remainder"),
        ("open('x') == 1", "may name"),
        ("text.__class__ == 1", "cannot be evaluated"),
    ],
)
def test_what_takes_more_than_is_sensible_is_refused(expression: str, said: str) -> None:
    with pytest.raises(ValueError, match="success") as caught:
        says(expression, total=6, text="a")
    assert said in str(caught.value)


def test_the_names_that_it_asks_a_place_for_are_known() -> None:
    rule = SuccessRule("metadata.a == 1 and metadata['b'] and metadata.get('c') and done", FIELDS)
    assert rule.keys("metadata") == {"a", "b"}
    assert rule.keys("observation") == set()
    made = SuccessRule("any(n == total for n in [1, 2])", FIELDS)
    assert made.names() == {"any", "total"}
