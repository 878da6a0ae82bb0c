"""Pay that no bound holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.auditing.rows import IDLE, row

from gonogo.auditing.checks.without_bounds import absurd_pay, length_pays, unbounded_pay
from gonogo.auditing.scaling import SCALED
from gonogo.auditing.survey import Survey, SurveyRow
from gonogo.exploits.panel import Kind
from gonogo.records.findings import Severity


def sized(*paid: float) -> Survey:
    """What a plan earns with the largest number, and with smaller ones."""
    first, *less = (row(f"plan {n}", SCALED, [pay]) for n, pay in enumerate(paid))
    return Survey({}, [IDLE, first, *(replace(each, about=first.name) for each in less)])


def test_pay_that_grows_as_the_number_does_is_an_exploit() -> None:
    (found,) = unbounded_pay(sized(20_000.0, 200.0, 1.9))
    assert (found.id, found.severity) == ("unbounded_action_pays", Severity.EXPLOIT)
    assert "on 6 of 6 seeds" in found.explanation
    (costly,) = unbounded_pay(sized(20_000.0, 190.0, -0.5))
    assert costly.row.name == "plan 0"


@pytest.mark.parametrize(
    "paid",
    [
        (50.0, 50.0, 20.0),  # as much as there is
        (900.0, 200.0, 2.0),  # more and more slowly
        (-0.1, 200.0, 2.0),  # refused in the end
        (0.0, 0.0, 0.0),
        (20_000.0, 200.0),  # one size was never flown
    ],
)
def test_pay_that_is_bounded_is_not_accused(paid: tuple[float, ...]) -> None:
    assert list(unbounded_pay(sized(*paid))) == []


def sent(number: float, pay: float) -> SurveyRow:
    """A row that sends one number, which ends its episode."""
    made = row(f"n={number:g}", Kind.EXTREME, [pay], field="n", action={"n": number})
    for episode in made.episodes:
        episode.turns[-1].done = True
    return made


@pytest.mark.parametrize(
    ("huge", "best", "accused"),
    [
        (2e12, 50.0, True),
        (2e12, 1e10, False),
        (900.0, 0.5, False),
        (-1e12, 0.5, False),
        (5e6, 0.5, False),  # clipped to what is there
    ],
)
def test_pay_far_above_all_that_is_known_without_an_absurd_number_is_an_exploit(
    huge: float, best: float, accused: bool
) -> None:
    found = list(absurd_pay(Survey({}, [IDLE, sent(3.0, best), sent(1e12, huge)])))
    assert [(each.id, each.severity) for each in found] == (
        [("unbounded_action_pays", Severity.EXPLOIT)] if accused else []
    )


def said(pays: Sequence[tuple[str, float]]) -> Survey:
    """Rows that say a text, with what its first step is paid."""
    rows = [
        row(f"text {n}", Kind.NONSENSE, [pay], field="text", action={"text": text})
        for n, (text, pay) in enumerate(pays)
    ]
    return Survey({}, [IDLE, *rows])


TEXTS = ("a", "so", "it is so", "and so it goes " * 3, "x" * 2_000)


def test_a_token_for_each_character_is_not_accused_beside_what_earns_more() -> None:
    flown = said([(text, 0.0001 * len(text)) for text in TEXTS])
    right = row("right", Kind.CONSTANT, [10.0], field="kind", action={"kind": "right"})
    assert list(length_pays(flown.plus([right]))) == []


def test_a_text_that_is_paid_by_the_character_is_paid_for_its_length() -> None:
    (found,) = length_pays(said([(text, 0.1 * len(text)) for text in TEXTS]))
    assert (found.id, found.row.name) == ("paid_for_length", "text 4")
    assert "are paid 0.1 a character" in found.explanation


@pytest.mark.parametrize(
    "pays",
    [
        [(text, 0.1 * len(text)) for text in TEXTS[:4]],  # too few, and none is long
        [(text, min(1.0, 0.1 * len(text))) for text in TEXTS],  # bounded
        [(text, 0.1 * len(text.split())) for text in TEXTS],  # by the word
        [(text, 0.0) for text in TEXTS],
        [*((text, 0.1 * len(text)) for text in TEXTS), ("b", 0.7)],  # one of a length says more
    ],
)
def test_what_is_not_paid_by_the_character_is_not_accused(
    pays: Sequence[tuple[str, float]],
) -> None:
    assert list(length_pays(said(pays))) == []
