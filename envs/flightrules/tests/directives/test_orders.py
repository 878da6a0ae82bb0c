"""Superseding: an order that is replaced no longer counts, and what was broken before stays broken."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flightrules.directives.directive import Directive, hold, keep_reserve, stay_quiet
from flightrules.directives.formula import SIGNALS
from flightrules.directives.monitor import MonitorSet, Verdict
from flightrules.directives.orders import Orders

RATE, BURNING = SIGNALS.index("rate_deg_s"), SIGNALS.index("burning")
HOLD = hold("D1", phrasing=0, start_s=10, end_s=50, rate_deg_s=0.2)
RESERVE = keep_reserve("D2", phrasing=0, end_s=99, propellant_pct=40.0)


def quiet(given_s: int, replaces: str | None) -> Directive:
    order = stay_quiet("D3", phrasing=0, start_s=60, end_s=90)
    return order.later(given_s, replaces)


def flown(fast: tuple[int, ...] = (), burning: tuple[int, ...] = ()) -> np.ndarray:
    """(100, signals) a calm flight, but for some seconds."""
    trace = np.zeros((100, len(SIGNALS)))
    trace[:, SIGNALS.index("propellant_pct")] = 90.0
    trace[list(fast), RATE] = 1.0
    trace[list(burning), BURNING] = 1.0
    return trace


@pytest.mark.parametrize(
    ("fast", "verdict"),
    [
        ((), Verdict.SATISFIED),
        ((30,), Verdict.SATISFIED),  # when it was replaced already
        ((29,), Verdict.VIOLATED),  # the last second that counts
        ((5,), Verdict.SATISFIED),  # before its window
    ],
)
def test_a_replaced_order_counts_up_to_its_replacement(
    fast: tuple[int, ...], verdict: Verdict
) -> None:
    orders = Orders([HOLD, RESERVE, quiet(30, "D1")])
    verdicts = orders.update(flown(fast))
    assert verdicts.tolist() == [verdict, Verdict.SATISFIED, Verdict.SATISFIED]
    assert orders.superseded.tolist() == [verdict == Verdict.SATISFIED, False, False]
    assert bool(orders.lower[0] > 0.0) is (verdict == Verdict.SATISFIED)


def test_what_replaces_counts_in_full() -> None:
    orders = Orders([HOLD, RESERVE, quiet(30, "D1")])
    assert orders.update(flown(burning=(70,)))[2] == Verdict.VIOLATED


def test_until_it_is_replaced_nothing_is_settled() -> None:
    orders = Orders([HOLD, RESERVE, quiet(30, "D1")])
    orders.update(flown()[:29])
    assert orders.verdicts.tolist() == [Verdict.OPEN] * 3
    assert not orders.superseded.any()
    copy = orders.copy()
    copy.update(flown()[29:30])
    assert copy.superseded.tolist() == [True, False, False]
    assert not orders.superseded.any()


@given(st.lists(st.integers(0, 99), max_size=5), st.lists(st.integers(0, 40), max_size=6))
def test_pieces_do_not_matter(fast: list[int], pieces: list[int]) -> None:
    """The same verdicts however the trace is cut, and beside another; without replacement those of the monitors."""
    trace, other = flown(tuple(fast)), flown((20,))
    for given_s, replaces in ((30, "D1"), (30, None)):
        directives = [HOLD, RESERVE, quiet(given_s, replaces)]
        whole, parts, alone, both = [Orders(directives) for _ in range(4)]
        shown = both.copy()
        whole.update(trace)
        at = 0
        for piece in [*pieces, 100]:
            parts.update(trace[at : at + piece])
            alone.update(other[at : at + piece])
            start, at = at, min(at + piece, 100)
            both.update_with(shown, trace[start:at], other[start:at])
        for orders, expected in ((both, parts), (shown, alone)):
            assert orders.verdicts.tolist() == expected.verdicts.tolist()
            assert orders.superseded.tolist() == expected.superseded.tolist()
        assert parts.verdicts.tolist() == whole.verdicts.tolist()
        assert parts.lower.tolist() == whole.lower.tolist()
        if replaces is None:
            plain = MonitorSet([directive.formula for directive in directives])
            assert plain.update(trace).tolist() == whole.verdicts.tolist()


@pytest.mark.parametrize(("given_s", "replaces"), [(30, "D9"), (0, "D1"), (30, "D3")])
def test_only_an_earlier_order_can_be_replaced(given_s: int, replaces: str) -> None:
    with pytest.raises(ValueError, match="must replace an order given before it"):
        Orders([HOLD, RESERVE, quiet(given_s, replaces)])


def test_an_order_cannot_come_after_its_window() -> None:
    with pytest.raises(ValueError, match="given_s must be from 0 to 90, got 91"):
        quiet(91, None)
