"""The reward review's answers are made from the record: one a component, or one for the return."""

from __future__ import annotations

from tests.records_made import (
    audited_component,
    contract_report,
    headline_numbers,
    rubric_node,
    source_place,
)

from gonogo.auditing.review import review
from gonogo.records.audit import AuditedComponent, ReviewAnswers, RewardComponents
from gonogo.records.contract import ContractReport
from gonogo.wire import JsonObject as Json

PLACE = source_place("env.py", 7)
CARD = contract_report(
    reward={"breakdown": [{"name": "thrift", "place": PLACE}], "places": [PLACE]}
)

ALONE: Json = {"pair": ("thrift", "speed"), "r": None}
NO_CARD = contract_report()


def answers(
    card: ContractReport,
    *parts: AuditedComponent,
    rule: str | None = "sum",
    pair: Json | None = None,
) -> tuple[ReviewAnswers, ...]:
    numbers = headline_numbers(
        failure_out_earns_success={
            "same_seed": 0.1,
            "auroc": 0.9,
            "successes": 2,
            "failures": 2,
        },
        paid_for_nothing={"policy": "idle", "mean": 0.3, "ci95": None},
        best_known_return=1.0,
    )
    components = {"note": None, "rule": rule, "components": parts, "correlations": [pair or ALONE]}
    return review(RewardComponents.model_validate(components), numbers, card)


def test_a_component_is_answered_for() -> None:
    assert answers(CARD, audited_component("thrift")) == (
        ReviewAnswers(
            component="thrift",
            measures="tells success from failure with AUROC 0.25, correlates with the return by 0.50",
            source="env.py:7",
            scale="0 to 0.4, mean 0.2: within its weight 0.4",
            composition="adds to the return, times 1",
            exploit="idle: gets 0.4, 100% of the most seen, where it fails",
        ),
    )


def test_what_is_not_known_is_said() -> None:
    part = audited_component("thrift", constant=True, cheapest=None)
    (answer,) = answers(NO_CARD, part, rule=None)
    assert answer.measures == "nothing that was flown: always 0.4"
    assert answer.source == "its code was not found"
    assert answer.composition == "how it enters the return is not known"
    assert answer.exploit == "no policy that does not try failed"


def test_components_that_say_the_same_are_named() -> None:
    parts = audited_component("thrift"), audited_component("saving")
    alike = {"pair": ("thrift", "saving"), "r": -0.99}
    first, _ = answers(CARD, *parts, rule="product", pair=alike)
    assert first.composition == "enters by the product of all components; says the same as saving"


def test_a_rubric_is_a_source_too() -> None:
    tree = rubric_node("", rubric_node("thrift", file="rubrics.py", line=3), file="env.py", line=1)
    card = contract_report(reward={"rubric": tree})
    assert answers(card, audited_component("thrift"))[0].source == "rubrics.py:3"


def test_a_return_without_components_is_answered_for() -> None:
    (answer,) = answers(CARD)
    assert answer.component == "the return"
    assert answer.source == "env.py:7"
    assert answer.exploit == "idle: 0.30 of a success's return where it fails"
