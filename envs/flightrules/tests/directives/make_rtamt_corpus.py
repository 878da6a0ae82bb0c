"""Asks rtamt what random formulas say of random traces and keeps its answers in ``rtamt_corpus.json.gz``.

rtamt (Nickovic and Yamaguchi, "RTAMT: Online Robustness Monitors from STL", 2020) is an independent implementation
of the same logic. Only seconds with a complete window are kept: on a window that the trace cuts short rtamt and the
strong ending differ on purpose. Signals and thresholds are quarters, so that every number is exact and ties are common.

    pip install rtamt==0.4.10      (brings antlr4-python3-runtime 4.7; Python 3.11 or 3.12)
    python envs/flightrules/tests/directives/make_rtamt_corpus.py
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
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
    formula_from_json,
    formula_to_json,
    horizon,
)
from flightrules.tests.directives.generate import random_formula, random_trace

CORPUS = Path(__file__).with_name("rtamt_corpus.json.gz")
CASES, SEED = 2500, 20261121
SCALE = 4
"""Values are kept as whole numbers of quarters."""

Case = tuple[Formula, NDArray[np.float64], NDArray[np.float64]]


def specification(formula: Formula) -> str:
    """The formula in rtamt's language."""
    match formula:
        case Atom(signal, op, threshold):
            return f"({signal} {op} {threshold!r})"
        case Not(f):
            return f"(not {specification(f)})"
        case And(f, g):
            return f"({specification(f)} and {specification(g)})"
        case Or(f, g):
            return f"({specification(f)} or {specification(g)})"
        case Always(a, b, f):
            return f"(always[{a}:{b}] {specification(f)})"
        case Eventually(a, b, f):
            return f"(eventually[{a}:{b}] {specification(f)})"
    return f"({specification(formula.f)} until[{formula.a}:{formula.b}] {specification(formula.g)})"


def ask_rtamt(formula: Formula, trace: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n - horizon,) what rtamt's discrete-time offline monitor says at the complete seconds."""
    import rtamt

    monitor = rtamt.StlDiscreteTimeSpecification()
    for name in SIGNALS:
        monitor.declare_var(name, "float")
    monitor.spec = specification(formula)
    monitor.parse()
    data: dict[str, Any] = {"time": list(range(len(trace)))}
    data |= {name: trace[:, i].tolist() for i, name in enumerate(SIGNALS)}
    answers = np.array([value for _, value in monitor.evaluate(data)], np.float64)
    return answers[: len(trace) - horizon(formula)]


def random_case(rng: np.random.Generator) -> tuple[Formula, NDArray[np.float64]]:
    """A formula and a trace with two to ten complete windows; one case in ten has long bounds.

    Not one window: rtamt 0.4.10 raises UnboundLocalError on a trace of a single sample.
    """
    longest = 40 if rng.random() < 0.1 else 6
    formula = random_formula(rng, depth=int(rng.integers(1, 5)), longest=longest)
    return formula, random_trace(rng, horizon(formula) + int(rng.integers(2, 11)))


def read_corpus() -> list[Case]:
    """All cases: formula, trace (n, signals), rtamt's robustness (n - horizon,)."""
    with gzip.open(CORPUS, "rt") as file:
        cases = json.load(file)["cases"]
    return [
        (
            formula_from_json(case["formula"]),
            np.array(case["trace"], np.float64).reshape(-1, len(SIGNALS)) / SCALE,
            np.array(case["robustness"], np.float64) / SCALE,
        )
        for case in cases
    ]


def main() -> None:
    """Write the corpus; the same seed gives the same bytes."""
    rng = np.random.default_rng(SEED)
    cases = []
    for _ in range(CASES):
        formula, trace = random_case(rng)
        answers = ask_rtamt(formula, trace)
        cases.append(
            {
                "formula": formula_to_json(formula),
                "trace": _quarters(trace),
                "robustness": _quarters(answers),
            }
        )
    made_by = {"rtamt": "0.4.10", "seed": SEED, "scale": SCALE, "cases": cases}
    text = json.dumps(made_by, separators=(",", ":"))
    with CORPUS.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
        file.write(text.encode())


def _quarters(values: NDArray[np.float64]) -> list[int]:
    whole = (values * SCALE).astype(np.int64).ravel()
    assert np.array_equal(whole / SCALE, values.ravel())
    return whole.tolist()


if __name__ == "__main__":
    main()
