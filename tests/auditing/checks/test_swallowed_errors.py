"""A full mark by an error that the grader swallows itself is proven, and a handler that all reach is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.auditing.audits import Audit, fly_audit

from gonogo.records.findings import Severity
from gonogo.records.record import Verdict

pytestmark = pytest.mark.usefixtures("from_the_root")


def audit_review(case: str, out: Path) -> Audit:
    """Audit an environment of the zoo with nothing to help."""
    given = {
        "target": f"tests.zoo.reviews:{case}",
        "audit.seeds": 12,
        "audit.search": 600,
        "audit.budget": 20_000,
    }
    return fly_audit(out, given, {})


def test_a_mark_by_a_swallowed_error_is_proven_with_its_line(tmp_path: Path) -> None:
    verdict, report = audit_review("AbortedReview", tmp_path)
    assert verdict is Verdict.NO_GO
    (finding,) = [each for each in report.findings if each.id == "verifier_crash_pays"]
    assert finding.severity is Severity.EXPLOIT
    assert "reviews.py:53 swallows what goes wrong (except Exception:" in finding.explanation


@pytest.mark.parametrize("case", ["FailedReview", "ReadsPlainly"])
def test_a_failure_that_costs_and_a_handler_that_reads_are_not_accused(
    case: str, tmp_path: Path
) -> None:
    _, report = audit_review(case, tmp_path)
    assert [each.id for each in report.findings if each.blocks] == []
    assert "verifier_crash_pays" not in [each.id for each in report.findings]
