"""The monitor against rtamt: its answers as committed, and rtamt itself where it is installed."""

from __future__ import annotations

import numpy as np
import pytest

from flightrules.directives.formula import (
    SIGNALS,
    Always,
    And,
    Eventually,
    Formula,
    Not,
    Or,
    Until,
)
from flightrules.directives.monitor import Monitor, robustness
from flightrules.tests.directives.generate import random_formula
from flightrules.tests.directives.make_rtamt_corpus import (
    Case,
    ask_rtamt,
    random_case,
    read_corpus,
)


@pytest.fixture(scope="module")
def corpus() -> list[Case]:
    return read_corpus()


def operators(formula: Formula) -> list[type]:
    """The classes of a formula's nodes."""
    found = [type(formula)]
    for name in ("f", "g"):
        if hasattr(formula, name):
            found += operators(getattr(formula, name))
    return found


def test_the_corpus_is_large_and_varied(corpus: list[Case]) -> None:
    assert len(corpus) >= 2000
    assert len({formula for formula, _, _ in corpus}) >= 2000
    seen = [operators(formula) for formula, _, _ in corpus]
    for operator in (Not, And, Or, Always, Eventually, Until):
        assert sum(operator in found for found in seen) >= 200
    firsts = np.array([answers[0] for _, _, answers in corpus])
    assert min((firsts > 0).mean(), (firsts < 0).mean()) > 0.2


def test_complete_windows_agree_with_the_corpus(corpus: list[Case]) -> None:
    for formula, trace, answers in corpus:
        assert np.array_equal(robustness(formula, trace)[: len(answers)], answers), formula


def test_the_online_monitor_agrees_with_the_corpus(corpus: list[Case]) -> None:
    rng = np.random.default_rng(0)
    for formula, trace, answers in corpus:
        monitor = Monitor(formula)
        cut = int(rng.integers(len(trace)))
        monitor.update(trace[:cut])
        monitor.update(trace[cut:])
        assert monitor.robustness == monitor.upper == answers[0], formula


@pytest.mark.slow
def test_fresh_formulas_agree_with_rtamt() -> None:
    """Other cases than the corpus, with floats that are no round numbers."""
    pytest.importorskip("rtamt", reason="pip install rtamt==0.4.10 (Python 3.11 or 3.12)")
    rng = np.random.default_rng(7)
    for _ in range(500):
        formula, trace = random_case(rng)
        trace = trace + rng.normal(0.0, 0.3, trace.shape)
        answers = ask_rtamt(formula, trace)
        assert np.array_equal(robustness(formula, trace)[: len(answers)], answers), formula


@pytest.mark.slow
def test_rtamt_gives_the_answers_of_the_corpus(corpus: list[Case]) -> None:
    pytest.importorskip("rtamt", reason="pip install rtamt==0.4.10 (Python 3.11 or 3.12)")
    for formula, trace, answers in corpus[::10]:
        assert np.array_equal(ask_rtamt(formula, trace), answers)


@pytest.mark.slow
def test_rtamt_lets_a_trace_cut_short_satisfy_and_the_strong_ending_does_not() -> None:
    """The reason for the strong ending, kept true."""
    rtamt = pytest.importorskip("rtamt", reason="pip install rtamt==0.4.10 (Python 3.11 or 3.12)")
    specification = rtamt.StlDiscreteTimeSpecification()
    specification.declare_var("error_deg", "float")
    specification.spec = "always[0:60](error_deg < 2.0)"
    specification.parse()
    cut = specification.evaluate({"time": list(range(5)), "error_deg": [1.0] * 5})
    assert cut[0][1] > 0
    formula = Always(0, 60, random_formula(np.random.default_rng(0), 0, 0))
    assert robustness(formula, np.ones((5, len(SIGNALS))))[0] == -np.inf
