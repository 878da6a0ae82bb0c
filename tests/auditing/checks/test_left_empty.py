"""A list left empty for each thing that is seen: pay for it is a finding where a full list fails, and not elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.auditing.audits import Audit, fly_audit

from gonogo.auditing.checks.left_empty import things_in
from gonogo.records.findings import Severity
from gonogo.records.record import Verdict

pytestmark = pytest.mark.usefixtures("from_the_root")


def audit_desk(case: str, out: Path) -> Audit:
    """Audit an environment of the zoo with nothing to help."""
    given = {
        "target": f"tests.zoo.loans:{case}",
        "audit.seeds": 12,
        "audit.search": 300,
        "audit.budget": 6_000,
    }
    return fly_audit(out, given, {})


def test_what_is_checked_over_an_empty_list_is_proven_where_a_full_one_fails(
    tmp_path: Path,
) -> None:
    verdict, report = audit_desk("NoDayTaken", tmp_path)
    (finding,) = [each for each in report.findings if each.blocks]
    assert verdict == Verdict.NO_GO
    assert (finding.id, finding.severity) == ("success_costs_nothing", Severity.EFFORTLESS)
    said = "do=grant, loan: each key of observation.loans with an empty days, desk='desk_a', then"
    assert said in finding.explanation


@pytest.mark.parametrize("case", ["SomeDayMeant", "AnyDayWillDo", "OneIsRefused", "DaysGivenBack"])
def test_no_list_that_is_judged_or_of_no_account_is_accused(case: str, tmp_path: Path) -> None:
    _, report = audit_desk(case, tmp_path)
    assert [each.id for each in report.findings if each.blocks] == []
    rows = [row.policy for row in report.tasks[0].policies if "with an empty days" in row.policy]
    assert rows == []


def test_things_are_read_by_their_names_where_each_says_more() -> None:
    held = {"a": {"days": ["mon"]}, "b": {"days": []}}
    seen = {"loans": held, "rows": [{"id": 1, "x": []}, {"id": 2, "x": []}], "plain": [1, 2]}
    found = things_in(seen)
    assert found["key of observation.loans"] == (("a", held["a"]), ("b", held["b"]))
    assert [name for name, _ in found["id in observation.rows"]] == [1, 2]
    assert not any("plain" in among for among in found)
