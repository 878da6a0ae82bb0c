from __future__ import annotations

import itertools
import re
from dataclasses import replace

import pytest

from flightrules.directives.directive import keep_reserve, reach_and_settle, stay_quiet
from flightrules.directives.formula import Always, And, Atom, Eventually, Formula, Not, Or
from flightrules.directives.language import (
    HOLD,
    KEEP_RESERVE,
    KINDS,
    NEVER,
    ONLY_IF,
    REACH_AND_SETTLE,
    STAY_QUIET,
    SUPERSEDE,
    kind_of,
    phrase,
    phrasings,
)

FORMULA_KINDS = tuple(kind for kind in KINDS if kind != SUPERSEDE)
SLOW, NEAR = Atom("rate_deg_s", "<", 0.15), Atom("error_deg", "<", 2.5)
TIMES = (1, 10, 60, 61, 100, 160, 600)
NUMBERS = (0.1, 0.15, 1.5, 15.0, 60.0, 0.10000000000000002, 1e-7, 40.00001)


def every_phrasing(kind: str) -> list[int]:
    return [*phrasings(kind, held_out=False), *phrasings(kind, held_out=True)]


def states() -> list[Formula]:
    """States within limits of rate, of error, and of both."""
    found: list[Formula] = [Atom("rate_deg_s", "<", x) for x in NUMBERS]
    found += [Atom("error_deg", "<", x) for x in NUMBERS]
    found += [
        And(Atom("error_deg", "<", x), Atom("rate_deg_s", "<", y))
        for x, y in itertools.product(NUMBERS, NUMBERS)
    ]
    return found


def throughout(kind: str) -> list[Formula]:
    """What a kind asks at every second of a window."""
    quiet = Atom("burning", "<", 0.5)
    if kind == STAY_QUIET:
        return [quiet]
    if kind == ONLY_IF:
        return [Or(quiet, Atom("contact", ">", 0.5))]
    if kind == NEVER:
        return [Not(Atom("rate_deg_s", ">", x)) for x in NUMBERS]
    if kind == HOLD:
        return states()
    return [
        Or(Atom("alarm", "<", 0.5), Eventually(0, last, Always(0, hold, state)))
        for last, hold, state in itertools.product((0, 60, 120), (60, 61), states()[::5])
    ]


def formulas(kind: str) -> list[Formula]:
    """Many formulas of a kind, their numbers chosen to be confused with each other."""
    if kind == REACH_AND_SETTLE:
        return [
            Eventually(first, last, Always(0, hold, state))
            for first, last, hold, state in itertools.product(
                (0, 10), (10, 60, 600), TIMES, states()[::3]
            )
            if first <= last
        ]
    if kind == KEEP_RESERVE:
        return [Always(0, t, Atom("propellant_pct", ">", x)) for t in TIMES for x in NUMBERS]
    windows = [(a, b) for a in (0, 10, 60) for b in (60, 100, 160, 600)]
    return [Always(a, b, inner) for a, b in windows for inner in throughout(kind)]


@pytest.mark.parametrize("kind", KINDS)
def test_eight_phrasings_some_held_out(kind: str) -> None:
    training, held_out = phrasings(kind, held_out=False), phrasings(kind, held_out=True)
    assert len(training) >= 5
    assert len(held_out) >= 2
    assert len(set(training) | set(held_out)) >= 8
    assert not set(training) & set(held_out)


@pytest.mark.parametrize("kind", FORMULA_KINDS)
def test_every_formula_of_a_kind_is_of_that_kind(kind: str) -> None:
    assert {kind_of(formula) for formula in formulas(kind)} == {kind}


def test_a_replacement_names_what_it_replaces_first() -> None:
    formula = Always(300, 900, Atom("burning", "<", 0.5))
    told = {phrase(formula, index, replaces="D2") for index in every_phrasing(SUPERSEDE)}
    assert len(told) == len(every_phrasing(SUPERSEDE))
    for index in every_phrasing(SUPERSEDE):
        text = phrase(formula, index, replaces="D2")
        assert text.endswith(phrase(formula, index))
        assert "D2" in text.removesuffix(phrase(formula, index))


@pytest.mark.parametrize("kind", FORMULA_KINDS)
def test_two_directives_never_share_a_text(kind: str) -> None:
    """Not within a phrasing and not between two: the words decide the formula."""
    told: dict[str, Formula] = {}
    for formula in formulas(kind):
        texts = {phrase(formula, index) for index in every_phrasing(kind)}
        assert len(texts) == len(every_phrasing(kind))
        for text in texts:
            assert told.setdefault(text, formula) == formula


NUMBERS_TOLD = [
    (Eventually(0, 480, Always(0, 120, SLOW)), [0.15, 120, 600]),
    (Eventually(0, 480, Always(0, 120, And(NEAR, SLOW))), [0.15, 2.5, 120, 600]),
    (Eventually(0, 120, Always(0, 120, SLOW)), [0.15, 120, 240]),
    (Always(300, 900, Atom("burning", "<", 0.5)), [300, 900]),
    (Always(0, 899, Atom("propellant_pct", ">", 41.5)), [41.5, 899]),
    (Always(0, 60, Atom("propellant_pct", ">", 60.0)), [60, 60]),
    (Eventually(300, 480, Always(0, 120, SLOW)), [0.15, 120, 300, 600]),
    (Always(300, 900, And(NEAR, SLOW)), [0.15, 2.5, 300, 900]),
    (Always(300, 900, Not(Atom("rate_deg_s", ">", 0.5))), [0.5, 300, 900]),
    (Always(300, 900, Or(Atom("burning", "<", 0.5), Atom("contact", ">", 0.5))), [300, 900]),
    (
        Always(300, 900, Or(Atom("alarm", "<", 0.5), Eventually(0, 180, Always(0, 60, SLOW)))),
        [0.15, 60, 240, 300, 900],
    ),
]


@pytest.mark.parametrize(("formula", "numbers"), NUMBERS_TOLD)
def test_every_number_is_told_once(formula: Formula, numbers: list[float]) -> None:
    """The end of a hold stands for its last start: the two together give the formula back."""
    for index in every_phrasing(kind_of(formula)):
        found = re.findall(r"\d+(?:\.\d+)?", phrase(formula, index))
        assert sorted(map(float, found)) == numbers


@pytest.mark.parametrize(("formula", "_"), NUMBERS_TOLD)
def test_a_text_is_one_short_plain_sentence(formula: Formula, _: list[float]) -> None:
    for index in every_phrasing(kind_of(formula)):
        text = phrase(formula, index)
        assert text.isascii()
        assert text[0].isupper()
        assert re.search(r"[.](?!\d)", text).start() == len(text) - 1  # type: ignore[union-attr]
        assert len(text.split()) <= 30
        assert "{" not in text


def test_numbers_are_written_plainly() -> None:
    text = phrase(Always(0, 86400, Atom("propellant_pct", ">", 1e-7)), 0)
    assert text == "End with more than 0.0000001 % propellant at 86400 s."
    assert "40 %" in phrase(Always(0, 9, Atom("propellant_pct", ">", 40)), 0)
    assert "under 0 deg/s" in phrase(
        Eventually(0, 1, Always(0, 1, Atom("rate_deg_s", "<", -0.0))), 0
    )


@pytest.mark.parametrize(
    "formula",
    [
        SLOW,
        Not(SLOW),
        Always(0, 60, Not(SLOW)),
        Always(0, 60, Not(Atom("error_deg", ">", 1.0))),
        Always(0, 60, Or(SLOW, Atom("contact", ">", 0.5))),
        Always(0, 60, Or(Atom("burning", "<", 0.5), Atom("contact", "<", 0.5))),
        Always(0, 60, Or(Atom("alarm", "<", 0.5), Eventually(1, 60, Always(0, 60, SLOW)))),
        Always(0, 60, Or(Atom("alarm", "<", 0.5), Eventually(0, 60, SLOW))),
        Always(0, 60, And(SLOW, NEAR)),
        Eventually(0, 60, Always(1, 60, SLOW)),
        Eventually(0, 60, Always(0, 0, SLOW)),
        Eventually(0, 60, SLOW),
        Eventually(0, 60, Always(0, 60, Atom("rate_deg_s", ">", 0.1))),
        Eventually(0, 60, Always(0, 60, And(SLOW, NEAR))),
        Eventually(0, 60, Always(0, 60, And(And(NEAR, SLOW), SLOW))),
        Eventually(0, 60, Always(0, 60, And(Not(NEAR), SLOW))),
        Eventually(0, 60, Always(0, 60, Or(NEAR, SLOW))),
        Always(0, 60, Atom("burning", "<", 0.4)),
        Always(0, 60, Atom("burning", ">", 0.5)),
        Always(5, 60, Atom("propellant_pct", ">", 40.0)),
        Always(0, 60, Atom("propellant_pct", "<", 40.0)),
    ],
)
def test_what_has_no_exact_words_is_not_told(formula: Formula) -> None:
    """A formula that is nearly of a known kind would be told as another one."""
    with pytest.raises(ValueError, match="must be"):
        kind_of(formula)
    with pytest.raises(ValueError, match="must be"):
        phrase(formula, 0)


@pytest.mark.parametrize("index", [-1, 8])
def test_an_unknown_phrasing_is_refused(index: int) -> None:
    with pytest.raises(ValueError, match=f"a phrasing of stay_quiet must be 0 to 7, got {index}"):
        phrase(Always(0, 60, Atom("burning", "<", 0.5)), index)


def test_builders_make_formula_and_words() -> None:
    settle = reach_and_settle(
        "D1", phrasing=0, deadline_s=600, hold_s=120, rate_deg_s=0.15, error_deg=2.5
    )
    assert settle.formula == Eventually(0, 480, Always(0, 120, And(NEAR, SLOW)))
    assert settle.text == (
        "By 600 s complete a hold of 120 s with pointing within 2.5 deg and every axis "
        "under 0.15 deg/s."
    )
    assert (settle.kind, settle.end_s) == (REACH_AND_SETTLE, 600)
    quiet = stay_quiet("D2", phrasing=0, start_s=300, end_s=900)
    assert (quiet.kind, quiet.end_s) == (STAY_QUIET, 900)
    assert quiet.text == "Fire no thruster from 300 s to 900 s."
    reserve = keep_reserve("D3", phrasing=1, end_s=899, propellant_pct=41)
    assert (reserve.kind, reserve.end_s) == (KEEP_RESERVE, 899)
    assert reserve.text == "Keep more than 41 % propellant up to 899 s."
    assert all(
        item.text == phrase(item.formula, item.phrasing) for item in (settle, quiet, reserve)
    )


def test_a_revised_order_has_the_words_and_the_window_of_its_new_formula() -> None:
    order = stay_quiet("D2", phrasing=1, start_s=10, end_s=70).later(5, "D1")
    longer = order.revised(formula=replace(order.formula, b=99), replaces=None)
    assert longer == stay_quiet("D2", phrasing=1, start_s=10, end_s=99).later(5)


def test_a_hold_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="got a=0, b=-20"):
        reach_and_settle("D1", phrasing=0, deadline_s=100, hold_s=120, rate_deg_s=0.15)
    with pytest.raises(ValueError, match="kind that has words"):
        reach_and_settle("D1", phrasing=0, deadline_s=100, hold_s=0, rate_deg_s=0.15)
