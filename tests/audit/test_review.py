"""The reward review's answers are made from the record: one a component, or one for the return."""

from __future__ import annotations

from typing import Any

from gonogo.audit.review import review
from gonogo.rollout.types import Json

PART: Json = {
    "name": "thrift",
    "min": 0.0,
    "max": 0.4,
    "mean": 0.2,
    "constant": False,
    "weight": 0.4,
    "factor": 1.0,
    "normalised": "weight",
    "auroc_success": 0.25,
    "correlation_return": 0.5,
    "cheapest": {"policy": "idle", "mean": 0.4},
}
PLACE = {"file": "env.py", "line": 7}
CARD: Json = {
    "reward": {"breakdown": [{"name": "thrift", "place": PLACE}], "rubric": {}, "places": [PLACE]}
}

NO_CARD: Json = {"reward": {"breakdown": [], "rubric": {}, "places": []}}


def sheet(*parts: Json, rule: str | None = "sum", **pair: Any) -> Json:
    numbers = {
        "failure_out_earns_success": {"auroc": 0.9},
        "paid_for_nothing": {"policy": "idle", "mean": 0.3},
        "best_known_return": 1.0,
        "floor": 0.0,
    }
    components = {"rule": rule, "components": list(parts), "correlations": [pair] if pair else []}
    return {"numbers": numbers, "components": components}


def test_a_component_is_answered_for() -> None:
    (answer,) = review(sheet(PART), CARD)
    assert answer == {
        "component": "thrift",
        "measures": "tells success from failure with AUROC 0.25, correlates with the return by 0.50",
        "source": "env.py:7",
        "scale": "0 to 0.4, mean 0.2: within its weight 0.4",
        "composition": "adds to the return, times 1",
        "exploit": "idle: gets 0.4, 100% of the most seen, where it fails",
    }


def test_what_is_not_known_is_said() -> None:
    (answer,) = review(sheet({**PART, "constant": True, "cheapest": None}, rule=None), NO_CARD)
    assert answer["measures"] == "nothing that was flown: always 0.4"
    assert answer["source"] == "its code was not found"
    assert answer["composition"] == "how it enters the return is not known"
    assert answer["exploit"] == "no policy that does not try failed"


def test_components_that_say_the_same_are_named() -> None:
    other = {**PART, "name": "saving"}
    first, _ = review(sheet(PART, other, rule="product", pair=["thrift", "saving"], r=-0.99), CARD)
    assert (
        first["composition"] == "enters by the product of all components; says the same as saving"
    )


def test_a_rubric_is_a_source_too() -> None:
    inner = {"name": "thrift", "file": "rubrics.py", "line": 3, "children": []}
    tree = {"name": "", "file": "env.py", "line": 1, "children": [inner]}
    card = {"reward": {"breakdown": [], "rubric": tree, "places": []}}
    assert review(sheet(PART), card)[0]["source"] == "rubrics.py:3"


def test_a_return_without_components_is_answered_for() -> None:
    (answer,) = review(sheet(), CARD)
    assert answer["component"] == "the return"
    assert answer["source"] == "env.py:7"
    assert answer["exploit"] == "idle: 0.30 of a success's return where it fails"
