"""What each component is worth, on real flights of a greenhouse whose reward is the sum of four."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.records_made import contract_report, rubric_node

from gonogo.auditing.checks.components import Ledger, combine, normalised, rubric_weights
from gonogo.exploits.witness import Witness
from gonogo.wire import JsonObject as Json

CARD = contract_report()
CASE = "paid_for_idling__component"
NAMES = ("always bed=0", "random", "always bed=5")
THREE = ("a", "b", "c")
DRAWN = np.random.default_rng(1).uniform(0.1, 1, size=(30, 3))
ROWS = [dict(zip(THREE, map(float, row), strict=True)) for row in DRAWN]


def parts(opened: Callable[..., Any], name: str) -> tuple[dict[str, Json], Json, Ledger, Any]:
    _, survey = opened(f"{CASE}:{name}", *NAMES)
    ledger = Ledger(survey, CARD)
    record = ledger.record()
    return {part.name: part for part in record.components}, record, ledger, survey


def test_the_component_that_pays_failures_is_found(opened: Callable[..., Any]) -> None:
    found, record, ledger, survey = parts(opened, "Defect")
    assert record.rule == "sum"
    assert set(found) == {"done", "beds", "thrift", "manners"}
    thrift, done = found["thrift"], found["done"]
    assert thrift.shapley.failed == pytest.approx(thrift.mean_failure)
    assert thrift.shapley.gap < done.shapley.gap == pytest.approx(0.5)
    assert thrift.without.best_failing_paid < 0.1
    assert done.without.best_failing_paid > 1
    assert done.without.auroc < 0.9 < thrift.without.auroc == 1.0
    assert ledger.blamed(survey.idle) == "thrift"


def test_a_component_that_counts_with_success_only_is_not_blamed(
    opened: Callable[..., Any],
) -> None:
    found, _, ledger, survey = parts(opened, "Sound")
    assert found["thrift"].mean_failure == 0
    assert ledger.blamed(survey.rows[-1]) is None  # it has no failures


def test_scale_rank_and_correlations(opened: Callable[..., Any]) -> None:
    found, record, _, _ = parts(opened, "Defect")
    assert (found["manners"].constant, found["done"].constant) == (True, False)
    assert found["done"].auroc_success == 1
    assert {part.normalised for part in found.values()} == {"unit"}
    assert record.rank == 3
    by_pair = {tuple(entry.pair): entry.r for entry in record.correlations}
    assert by_pair["done", "manners"] is None
    assert by_pair["beds", "done"] > 0.5


def test_the_cheapest_exploit_of_a_component_is_a_witness(opened: Callable[..., Any]) -> None:
    found, *_ = parts(opened, "Defect")
    cheapest = found["thrift"].cheapest
    assert (cheapest.policy, cheapest.value) == ("idle", 0.45)
    assert len(cheapest.witness.plan) == 1
    field, _ = opened(f"{CASE}:Defect", *NAMES)
    plan = (cheapest.witness.reset, cheapest.witness.plan)
    (again,) = field.plans("again", [plan])
    assert Witness.of(again).record(plan[1]) == cheapest.witness


def test_an_environment_without_components_says_so(opened: Callable[..., Any]) -> None:
    _, survey = opened("leaked_answer:Defect")
    ledger = Ledger(survey, CARD)
    assert ledger.record().components == ()
    assert ledger.blamed(survey.idle) is None


def test_weights_come_from_the_maps_rubric_tree() -> None:
    inner = rubric_node("task", rubric_node("form", weight=0.5), weight=0.8)
    card = contract_report(reward={"rubric": rubric_node("", inner)})
    assert rubric_weights(card) == {"task": 0.8, "form": 0.4}
    assert rubric_weights(CARD) == {}


@pytest.mark.parametrize(
    ("values", "weight", "kept"),
    [([0, 0.3], 0.4, "weight"), ([0, 1], 0.4, "unit"), ([0, 2], None, None), ([-1, 0], 1, None)],
)
def test_what_a_component_keeps_to(
    values: list[float], weight: float | None, kept: str | None
) -> None:
    assert normalised(values, weight) == kept


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
