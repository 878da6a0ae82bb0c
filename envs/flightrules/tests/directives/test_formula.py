from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from flightrules.directives.formula import (
    MAX_BOUND_S,
    Always,
    And,
    Atom,
    Eventually,
    Formula,
    Not,
    Or,
    Until,
    formula_from_json,
    formula_to_json,
    formula_to_text,
    horizon,
    map_atoms,
    onset,
)
from flightrules.tests.directives.generate import random_formula

SLOW = Atom("rate_deg_s", "<", 0.15)
NEAR = Atom("error_deg", "<", 2.0)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Atom("fuel", "<", 1.0), r"Atom\.signal must be one of .*got 'fuel'"),
        (lambda: Atom("burning", "<=", 1.0), r"Atom\.op must be '<' or '>', got '<='"),
        (lambda: Atom("burning", "<", float("nan")), r"Atom\.threshold must be finite, got nan"),
        (lambda: Atom("burning", "<", "1"), r"Atom\.threshold must be a number, got '1'"),  # type: ignore[arg-type]
        (lambda: Atom("burning", "<", True), r"Atom\.threshold must be a number, got True"),
        (lambda: Always(5, 4, SLOW), r"Always must have 0 <= a <= b <= \d+, got a=5, b=4"),
        (lambda: Eventually(-1, 4, SLOW), r"Eventually must have 0 <= a .* got a=-1, b=4"),
        (lambda: Until(0, MAX_BOUND_S + 1, SLOW, NEAR), rf"<= {MAX_BOUND_S}, got a=0, b=86401"),
        (lambda: Always(0, 2.0, SLOW), r"Always\.b must be a whole number of seconds, got 2\.0"),  # type: ignore[arg-type]
        (lambda: Always(False, 2, SLOW), r"Always\.a must be a whole number of seconds, got False"),
        (lambda: Not("x"), r"Not\.f must be a formula, got 'x'"),  # type: ignore[arg-type]
        (lambda: And(SLOW, None), r"And\.g must be a formula, got None"),  # type: ignore[arg-type]
    ],
)
def test_refused_at_construction_with_rule_and_value(
    build: Callable[[], Formula], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        build()


@pytest.mark.parametrize(
    ("formula", "first", "last"),
    [
        (SLOW, 0, 0),
        (Not(Always(3, 7, SLOW)), 3, 7),
        (Eventually(10, 600, Always(5, 120, And(NEAR, SLOW))), 15, 720),
        (Or(SLOW, Always(9, 10, NEAR)), 0, 10),
        (Until(4, 8, SLOW, Always(2, 3, NEAR)), 0, 11),
        (Until(4, 8, Always(0, 20, SLOW), NEAR), 0, 27),
        (Until(0, 0, Always(0, 20, SLOW), Always(1, 2, NEAR)), 1, 2),
    ],
)
def test_the_first_and_last_second_that_matter(formula: Formula, first: int, last: int) -> None:
    assert (onset(formula), horizon(formula)) == (first, last)


def test_changing_atoms_reaches_each_and_nothing_else() -> None:
    formula = Until(1, 2, Not(SLOW), Always(0, 9, Or(NEAR, And(SLOW, NEAR))))
    assert map_atoms(lambda atom: atom, formula) == formula
    swapped = map_atoms(lambda atom: NEAR if atom == SLOW else SLOW, formula)
    assert swapped == Until(1, 2, Not(NEAR), Always(0, 9, Or(SLOW, And(NEAR, SLOW))))


def test_json_keeps_every_formula() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        formula = random_formula(rng, depth=4, longest=9)
        assert formula_from_json(formula_to_json(formula)) == formula


def test_the_usual_notation() -> None:
    """Every operator, nested; and two formulas never look the same."""
    formula = And(Always(3, 7, Not(NEAR)), Or(SLOW, Eventually(0, 9, Until(1, 2, SLOW, NEAR))))
    assert formula_to_text(formula) == (
        "(G[3,7] (not (error_deg < 2.0))) and "
        "((rate_deg_s < 0.15) or (F[0,9] ((rate_deg_s < 0.15) U[1,2] (error_deg < 2.0))))"
    )
    rng = np.random.default_rng(0)
    formulas = {random_formula(rng, depth=3, longest=9) for _ in range(300)}
    assert len({formula_to_text(formula) for formula in formulas}) == len(formulas)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (3, "must be an object, got 3"),
        ({}, "op must be one of"),
        ({"op": "next", "f": {}}, "op must be one of .*got 'next'"),
        ({"op": ["not"]}, "op must be one of"),
        ({"op": "not"}, r"exactly \['f'\], got \[\]"),
        ({"op": "not", "f": {"op": "<"}}, "op must be one of .*got '<'"),
        ({"signal": "burning", "op": "<"}, r"exactly \['op', 'signal', 'threshold'\]"),
        ({"signal": "burning", "op": "<", "threshold": 1, "c": 2}, "must have exactly"),
        ({"op": "always", "a": "0", "b": 1, "f": formula_to_json(SLOW)}, r"Always\.a must be"),
    ],
)
def test_json_edited_by_hand_is_refused(data: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        formula_from_json(data)
