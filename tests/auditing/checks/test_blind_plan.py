"""The same few actions that earn a full mark on each seed are proven where seeds matter, and are none elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.auditing.audits import Audit, fly_audit

from gonogo.auditing.checks.blind_plan import apart, constants, moved, said_of
from gonogo.records.findings import Severity
from gonogo.records.record import Verdict

pytestmark = pytest.mark.usefixtures("from_the_root")


def audit_plans(case: str, out: Path) -> Audit:
    """Audit an environment of the zoo with nothing to help."""
    given = {
        "target": f"tests.zoo.fixed_plans:{case}",
        "audit.seeds": 8,
        "audit.search": 600,
        "audit.budget": 12_000,
    }
    return fly_audit(out, given, {})


@pytest.mark.parametrize("case", ["AnyHighBid", "ShippedBoxes"])
def test_a_plan_that_looks_at_nothing_is_proven_where_seeds_matter(
    case: str, tmp_path: Path
) -> None:
    verdict, report = audit_plans(case, tmp_path)
    assert verdict is Verdict.NO_GO
    (finding,) = [each for each in report.findings if each.id == "blind_plan_pays"]
    assert finding.severity is Severity.EXPLOIT
    assert "nobody is known to earn more" in finding.explanation
    assert "so that seeds differ" in finding.explanation


@pytest.mark.parametrize("case", ["NearestBid", "AllBoxes", "OneBox", "SameTarget", "OneOrder"])
def test_a_plan_that_is_right_is_not_accused(case: str, tmp_path: Path) -> None:
    _, report = audit_plans(case, tmp_path)
    assert [each.id for each in report.findings if each.blocks] == []


def test_plans_that_differ_in_numbers_alone_have_one_far_beyond_them() -> None:
    plans = [[{"do": "bid", "amount": n}, {"do": "close"}] for n in (150, 170)]
    assert list(apart(plans).values()) == [[150, 170]]
    amounts = [plan[0]["amount"] for plan in constants(plans)]
    assert amounts == [150, 1500, -1500]
    assert list(constants([[{"do": "ship", "box": name}] for name in ("B1", "B2")])) == []
    assert said_of(plans[0]) == "bid/150, then close"


def test_only_a_number_is_moved() -> None:
    assert moved(60) == [120, 30, 61, 59]
    assert moved("sixty") == moved(True) == []
