"""A checked item: its answer, the finding that it proves, and the worst of several tasks."""

from __future__ import annotations

import pytest
from tests.records_made import contract_item

from gonogo.contract.flights import Shot, Trace
from gonogo.contract.items import CHECKS, failed, not_applicable, passed, worst
from gonogo.contract.tasks import Task
from gonogo.records.contract import ItemEvidence
from gonogo.records.findings import ContractWitness
from gonogo.rollouts.types import Transition

TASK = Task({"level": 2}, "manifest")


def test_what_passes_or_cannot_be_judged_proves_nothing() -> None:
    evidence = ItemEvidence(rewards=7)
    for item, verdict in (
        (passed("reward_finite", "all are", TASK, evidence), "pass"),
        (not_applicable("reward_finite", "none was given", TASK, evidence), "na"),
    ):
        assert (item.checked.verdict, item.checked.task) == (verdict, {"level": 2})
        assert item.checked.evidence == evidence
        assert (item.finding, item.proof, item.checked.finding) == (None, None, None)


def test_what_fails_has_its_finding_and_the_flight_that_proves_it() -> None:
    flight = Trace({"seed": 3}, [Shot(None, Transition({}, None, False), None, None)])
    proof = flight.witness()
    item = failed("episode", "dies", "it died", TASK, proof)
    assert item.proof is proof and item.finding is not None
    assert item.checked.finding == item.finding.id == "dies"
    assert item.finding.witness == proof.witness
    assert (item.finding.task, item.finding.explanation) == ({"level": 2}, "it died")


def test_a_finding_about_no_flight_has_no_proof() -> None:
    seen = ContractWitness(tools=("reset",))
    item = failed("tool_names", "reserved_tool_name", "reset is reserved", None, seen)
    assert item.proof is None and item.finding is not None
    assert (item.finding.task, item.finding.witness) == (None, seen)
    bare = failed("tool_names", "reserved_tool_name", "so").finding
    assert bare is not None and bare.witness == ContractWitness()


def test_there_is_no_other_check() -> None:
    with pytest.raises(ValueError, match=r"must be one of episode, .*, not 'beauty'"):
        passed("beauty", "it is")


def test_the_worst_of_each_check_in_the_checks_order() -> None:
    items = [
        contract_item("after_done", "na", "first"),
        contract_item("episode", "pass", "one"),
        contract_item("episode", "fail", "two"),
        contract_item("episode", "fail", "three"),
        contract_item("after_done", "pass", "second"),
        contract_item("after_done", "na", "third"),
    ]
    assert [(item.id, item.said) for item in worst(items)] == [
        ("episode", "two"),
        ("after_done", "second"),
    ]
    assert all(CHECKS.values())
