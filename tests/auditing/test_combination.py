"""The rule that makes a return of its components is told from numbers, and tells each one's share."""

from __future__ import annotations

import numpy as np
import pytest

from gonogo.auditing.combination import combine

NAMES = ("a", "b", "c")
DRAWN = np.random.default_rng(1).uniform(0.1, 1, size=(30, 3))
ROWS = [dict(zip(NAMES, map(float, row), strict=True)) for row in DRAWN]


@pytest.mark.parametrize(
    ("rule", "of"),
    [
        ("sum", lambda r: r["a"] + r["b"] + r["c"]),
        ("product", lambda r: r["a"] * r["b"] * r["c"]),
        ("minimum", lambda r: min(r.values())),
        ("maximum", lambda r: max(r.values())),
        ("fitted sum", lambda r: 0.2 * r["a"] + 0.7 * r["b"] - 0.1 * r["c"]),
    ],
)
def test_the_rule_is_told(rule: str, of: object) -> None:
    pairs = [(row, of(row)) for row in ROWS]  # type: ignore[operator]
    found = combine(pairs, {})
    assert found is not None
    assert found.rule == rule
    shares = found.shares(ROWS[0])
    assert shares is not None
    assert sum(shares.values()) == pytest.approx(pairs[0][1])


def test_a_rubrics_weights_are_tried_before_any_are_fitted() -> None:
    weights = {"a": 0.5, "b": 0.3, "c": 0.2}
    pairs = [(row, sum(weights[n] * v for n, v in row.items())) for row in ROWS]
    found = combine(pairs, weights)
    assert found is not None
    assert (found.rule, found.weights) == ("weighted sum", weights)
    assert found.without(ROWS[0], "a") == pytest.approx(0.3 * ROWS[0]["b"] + 0.2 * ROWS[0]["c"])


def test_no_rule_and_too_few_episodes_to_fit_are_none() -> None:
    assert combine([(row, row["a"] ** 2 + row["b"]) for row in ROWS], {}) is None
    assert combine([(row, 0.3 * row["a"]) for row in ROWS[:3]], {}) is None
    assert combine([], {}) is None


def test_of_a_product_equal_factors_share_alike() -> None:
    pairs = [(row, row["a"] * row["b"] * row["c"]) for row in ROWS]
    found = combine(pairs, {})
    assert found is not None
    shares = found.shares({"a": 0.5, "b": 0.5, "c": 1.0})
    assert shares is not None
    assert shares["a"] == pytest.approx(shares["b"])
    assert found.without({"a": 0.5, "b": 0.5, "c": 1.0}, "a") == 0.5
