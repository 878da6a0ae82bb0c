from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from flightrules.directives.formula import (
    SIGNALS,
    Always,
    And,
    Atom,
    Eventually,
    Formula,
    Not,
    Or,
    Until,
    horizon,
)
from flightrules.directives.monitor import (
    Monitor,
    MonitorSet,
    Verdict,
    robustness,
    robustness_interval,
)
from flightrules.tests.directives.generate import random_formula, random_trace
from flightrules.tests.directives.reference import interval

SLOW = Atom("rate_deg_s", "<", 0.5)
NEAR = Atom("error_deg", "<", 2.0)
QUIET = Atom("burning", "<", 0.5)
FULL = Atom("propellant_pct", ">", 40.0)

Case = tuple[Formula, NDArray[np.float64], list[int]]


def trace(n: int, **signals: object) -> NDArray[np.float64]:
    """(n, signals) constant or given signals; 0 where none is given, and a full tank."""
    values = dict.fromkeys(SIGNALS, 0.0) | {"propellant_pct": 100.0}
    columns = [np.broadcast_to(np.asarray(v, float), n) for v in (values | signals).values()]
    return np.stack(columns, axis=1)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A random formula, a trace that may cut its window short, and where to cut it in chunks."""
    rng = np.random.default_rng(draw(st.integers(0, 2**63)))
    formula = random_formula(rng, draw(st.integers(1, 4)), draw(st.integers(1, 5)))
    n = draw(st.integers(1, 30))
    cuts = draw(st.lists(st.integers(0, n), max_size=8))
    return formula, random_trace(rng, n), [*sorted(cuts), n]


@settings(max_examples=150, deadline=None)
@given(cases())
def test_whole_traces_agree_with_the_plain_semantics(case: Case) -> None:
    formula, samples, _ = case
    lower, upper = robustness_interval(formula, samples)
    for t in range(len(samples)):
        assert (lower[t], upper[t]) == interval(formula, samples, t)
    complete = len(samples) - horizon(formula)
    assert np.array_equal(lower[: max(complete, 0)], upper[: max(complete, 0)])


@settings(max_examples=150, deadline=None)
@given(cases())
def test_every_chunking_agrees_with_the_plain_semantics(case: Case) -> None:
    """So online equals offline, and how a flight is cut into decisions changes nothing."""
    formula, samples, cuts = case
    monitor, read = Monitor(formula), 0
    for cut in cuts:
        monitor.update(samples[read:cut])
        read = cut
        expected = interval(formula, samples[:cut], 0)
        assert (monitor.robustness, monitor.upper) == expected


@settings(max_examples=150, deadline=None)
@given(cases())
def test_a_verdict_never_changes_and_bounds_only_close(case: Case) -> None:
    formula, samples, cuts = case
    monitor, read = Monitor(formula), 0
    final = robustness(formula, np.concatenate([samples, random_trace_after(samples, formula)]))[0]
    last = (monitor.verdict, monitor.robustness, monitor.upper)
    for cut in cuts:
        monitor.update(samples[read:cut])
        read = cut
        now = (monitor.verdict, monitor.robustness, monitor.upper)
        assert last[1] <= now[1] <= final <= now[2] <= last[2]
        assert last[0] in (Verdict.OPEN, now[0])
        last = now


def random_trace_after(samples: NDArray[np.float64], formula: Formula) -> NDArray[np.float64]:
    """Samples that complete the window."""
    return random_trace(np.random.default_rng(len(samples)), horizon(formula) + 1)


@settings(max_examples=150, deadline=None)
@given(cases(), st.integers(0, 2**63))
def test_what_is_satisfied_at_the_end_is_so_under_every_continuation(case: Case, seed: int) -> None:
    """The strong ending: stopping early is never better than any way of going on."""
    formula, samples, _ = case
    monitor = Monitor(formula)
    monitor.update(samples)
    rest = random_trace(np.random.default_rng(seed), horizon(formula) + 1)
    whole = robustness(formula, np.concatenate([samples, rest]))[0]
    assert monitor.robustness <= whole
    if monitor.final_verdict is Verdict.SATISFIED:
        assert whole > 0
    assert monitor.final_verdict is not Verdict.OPEN


@pytest.mark.parametrize(
    "formula",
    [
        Always(0, 60, NEAR),
        Not(Eventually(0, 60, Not(NEAR))),
        Not(Eventually(0, 60, Atom("error_deg", ">", 2.0))),
        Eventually(0, 5, Always(0, 60, NEAR)),
        Not(Always(0, 5, Eventually(0, 60, Not(NEAR)))),
        Until(60, 80, NEAR, SLOW),
        Not(Until(0, 60, SLOW, Not(NEAR))),
        And(Always(0, 60, NEAR), SLOW),
    ],
)
def test_a_window_cut_short_is_violated_however_it_is_negated(formula: Formula) -> None:
    """On five good samples rtamt calls the first of these satisfied."""
    monitor = Monitor(formula)
    monitor.update(trace(5))
    assert monitor.verdict is Verdict.OPEN
    assert monitor.final_verdict is Verdict.VIOLATED
    assert monitor.robustness < 0
    monitor.update(trace(80))
    assert monitor.final_verdict is Verdict.SATISFIED


def test_no_samples_at_all_satisfy_nothing() -> None:
    monitors = MonitorSet([SLOW, Always(0, 0, SLOW), Not(SLOW)])
    monitors.update(np.empty((0, len(SIGNALS))))
    assert monitors.seconds == 0
    assert monitors.verdicts.tolist() == [Verdict.OPEN] * 3
    assert monitors.final_verdicts.tolist() == [Verdict.VIOLATED] * 3
    assert np.isnan(monitors.state_robustness).all()


def test_verdicts_come_as_soon_as_the_samples_decide() -> None:
    settle = Monitor(Eventually(0, 100, Always(0, 10, SLOW)))
    assert settle.update(trace(20, rate_deg_s=0.7)) is Verdict.OPEN
    assert settle.update(trace(10, rate_deg_s=0.1)) is Verdict.OPEN
    assert settle.update(trace(1, rate_deg_s=0.1)) is Verdict.SATISFIED
    late = Monitor(Eventually(0, 100, Always(0, 10, SLOW)))
    assert late.update(trace(100, rate_deg_s=0.7)) is Verdict.OPEN
    assert late.update(trace(1, rate_deg_s=0.7)) is Verdict.VIOLATED
    quiet = Monitor(Always(50, 100, QUIET))
    assert quiet.update(trace(50, burning=1.0)) is Verdict.OPEN
    assert quiet.update(trace(1, burning=1.0)) is Verdict.VIOLATED
    reserve = Monitor(Always(0, 100, FULL))
    assert reserve.update(trace(100, propellant_pct=41.0)) is Verdict.OPEN
    assert reserve.update(trace(1, propellant_pct=40.5)) is Verdict.SATISFIED
    assert reserve.robustness == 0.5


@pytest.mark.parametrize("formula", [FULL, Not(FULL), Always(0, 3, FULL), Eventually(0, 3, FULL)])
def test_a_limit_that_is_touched_is_broken(formula: Formula) -> None:
    monitor = Monitor(formula)
    assert monitor.update(trace(4, propellant_pct=40.0)) is Verdict.VIOLATED
    assert monitor.robustness == monitor.upper == 0.0


def test_state_robustness_is_the_last_sample_without_time() -> None:
    near_and_slow = And(NEAR, SLOW)
    monitors = MonitorSet(
        [
            Eventually(5, 900, Always(0, 60, near_and_slow)),
            Not(Always(3, 4, SLOW)),
            Or(NEAR, Eventually(0, 9, SLOW)),
            Until(0, 9, SLOW, NEAR),
        ]
    )
    monitors.update(trace(3, error_deg=[9.0, 9.0, 1.5], rate_deg_s=[9.0, 9.0, 0.25]))
    assert monitors.state_robustness.tolist() == [0.25, -0.25, 0.5, 0.5]


def test_monitors_of_a_set_do_not_disturb_each_other() -> None:
    rng = np.random.default_rng(3)
    formulas = [random_formula(rng, 3, 6) for _ in range(12)]
    samples = random_trace(rng, 40)
    together, alone = MonitorSet(formulas), [Monitor(formula) for formula in formulas]
    for start in range(0, 40, 7):
        together.update(samples[start : start + 7])
        for monitor in alone:
            monitor.update(samples[start : start + 7])
    assert together.lower.tolist() == [monitor.robustness for monitor in alone]
    assert together.upper.tolist() == [monitor.upper for monitor in alone]
    assert together.state_robustness.tolist() == [monitor.state_robustness for monitor in alone]
    assert together.verdicts.tolist() == [monitor.verdict for monitor in alone]


def test_a_copy_goes_its_own_way() -> None:
    monitors = MonitorSet([And(Eventually(0, 20, Always(0, 5, SLOW)), Always(0, 20, NEAR))])
    monitors.update(trace(4, rate_deg_s=0.1))
    lost, won = monitors.copy(), monitors.copy()
    lost.update(trace(40, rate_deg_s=0.9, error_deg=9.0))
    won.update(trace(40, rate_deg_s=0.2))
    assert (*lost.verdicts, *won.verdicts) == (Verdict.VIOLATED, Verdict.SATISFIED)
    assert monitors.verdicts.tolist() == [Verdict.OPEN]
    monitors.update(trace(2, rate_deg_s=0.3))
    assert monitors.update(trace(15)).tolist() == [Verdict.SATISFIED]


def test_two_traces_in_one_call_are_each_read_as_alone() -> None:
    rng = np.random.default_rng(4)
    formulas = [random_formula(rng, 3, 6) for _ in range(12)]
    traces = [random_trace(rng, 40) for _ in range(2)]
    alone = [MonitorSet(formulas) for _ in traces]
    one = MonitorSet(formulas)
    other = one.copy()
    for start in range(0, 40, 7):
        parts = [samples[start : start + 7] for samples in traces]
        one.update_with(other, *parts)
        for monitors, part in zip(alone, parts, strict=True):
            monitors.update(part)
        for together, expected in zip((one, other), alone, strict=True):
            assert together.seconds == expected.seconds
            assert together.verdicts.tolist() == expected.verdicts.tolist()
            np.testing.assert_array_equal(together._results, expected._results)


def test_two_traces_are_of_the_same_seconds_of_the_same_orders() -> None:
    monitors = MonitorSet([SLOW])
    behind, stranger = monitors.copy(), MonitorSet([SLOW])
    for other, rows in ((stranger, 2), (monitors.copy(), 3)):
        with pytest.raises(ValueError, match="other must be a copy of these monitors"):
            monitors.update_with(other, trace(2), trace(rows))
    with pytest.raises(ValueError, match="samples must be finite"):
        monitors.update_with(behind, trace(2), trace(2, rate_deg_s=np.nan))
    assert monitors.seconds == behind.seconds == 0
    monitors.update(trace(1))
    with pytest.raises(ValueError, match="other must be a copy of these monitors"):
        monitors.update_with(behind, trace(2), trace(2))


def test_what_an_update_returned_stays_as_it_was() -> None:
    monitors = MonitorSet([Always(0, 3, SLOW)])
    verdicts, lower = monitors.update(trace(1)), monitors.lower
    monitors.update(trace(9))
    assert (verdicts.tolist(), lower.tolist()) == ([Verdict.OPEN], [-np.inf])


def test_an_empty_set_and_any_layout_of_samples_are_fine() -> None:
    assert MonitorSet([]).update(trace(5)).shape == (0,)
    monitor = Monitor(FULL)
    assert monitor.update(np.asfortranarray(trace(8))[::2]) is Verdict.SATISFIED
    assert Monitor(FULL).update([[0, 0, 41, 0, 0, 0]]) is Verdict.SATISFIED


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_sample_that_is_no_number_is_refused_whole(bad: float) -> None:
    monitor = Monitor(Always(0, 3, SLOW))
    monitor.update(trace(2))
    samples = trace(5)
    samples[3, 0] = bad
    with pytest.raises(ValueError, match="samples must be finite"):
        monitor.update(samples)
    assert monitor.verdict is Verdict.OPEN
    assert monitor.update(trace(2)) is Verdict.SATISFIED


@pytest.mark.parametrize("samples", [np.zeros(6), np.zeros((3, 5)), np.zeros((1, 2, 6))])
def test_the_shape_of_samples_is_checked(samples: NDArray[np.float64]) -> None:
    with pytest.raises(ValueError, match=r"must have shape \(m, 6\), got"):
        Monitor(SLOW).update(samples)
    with pytest.raises(ValueError, match=r"must have shape \(m, 6\), got"):
        robustness(SLOW, samples)


def test_words_of_the_wire() -> None:
    assert [verdict.word for verdict in Verdict] == ["open", "satisfied", "violated"]
