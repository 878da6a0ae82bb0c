"""A failure that earns what a success on the same seed does is found, and the nearest is what the table tells."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.auditing.audits import fly_audit

from gonogo.evaluation.replay import replay
from gonogo.records.base import Verdict

pytestmark = pytest.mark.usefixtures("from_the_root")


@pytest.mark.parametrize(
    ("name", "found"), [("UnpaidLock", ["failure_earns_as_much"]), ("PaidLock", [])]
)
def test_a_failure_that_earns_what_a_success_does_is_found_and_the_table_agrees(
    name: str, found: list[str], tmp_path: Path
) -> None:
    given = {"target": f"tests.zoo.single:{name}", "audit.reference": "tests.zoo.single:lock"}
    verdict, record = fly_audit(tmp_path, {**given, "audit.seeds": 4, "audit.budget": 200})
    assert [finding.id for finding in record.findings] == found
    assert verdict is (Verdict.NO_GO if found else Verdict.GO)
    numbers = record.tasks[0].numbers
    assert numbers.best_failing_return == 1.0
    assert numbers.success_on_its_seed == numbers.best_known_return
    assert (numbers.success_on_its_seed > 1.0) == (not found)
    if found:
        assert replay(tmp_path / "witnesses.jsonl", None).verdict is Verdict.GO
