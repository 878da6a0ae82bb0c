"""An end that takes back what was paid: a finding where nobody has to send it, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.auditing.audits import fly_audit

from gonogo.auditing.checks.beginnings import Beginnings
from gonogo.auditing.checks.unsettled import charges, runs_on, unsettled, unsettled_rows
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, SurveyRow, fly_habit, fly_idle
from gonogo.exploits.panel import Habit, Kind
from gonogo.records.record import Verdict

PORT = "tests.zoo.port"
LOADING = Habit.constant("always lane a", Kind.CONSTANT, {"do": "load", "lane": "a"}, "lane")


def loaded(session: AuditSession) -> tuple[Survey, list[SurveyRow]]:
    """Idling and loading all boxes into one lane, and what the check makes of it."""
    tasks = session.tasks({}, range(4))
    flown = Survey({}, [fly_idle(session, tasks), fly_habit(session, LOADING, tasks)])
    return flown, list(unsettled_rows(Beginnings(session, tasks), flown))


def test_who_never_departs_keeps_what_the_departure_takes(
    session_of: Callable[[str], AuditSession],
) -> None:
    flown, (kept, settled) = loaded(session_of(f"{PORT}:FinedAtDeparture"))
    assert settled.about == kept.name == "always lane a, and never {'do': 'depart'}"
    (found,) = unsettled(flown.plus([kept, settled]))
    assert (found.id, found.severity) == ("settlement_avoided", None)
    assert "earns 1 or more on each of 4 seeds" in found.explanation
    assert not list(unsettled(flown.plus([kept])))


@pytest.mark.parametrize("case", ["FinedAnyway", "LeavingCosts", "GivingUp"])
def test_an_end_that_costs_nothing_more_or_always_is_none(
    case: str, session_of: Callable[[str], AuditSession]
) -> None:
    _, rows = loaded(session_of(f"{PORT}:{case}"))
    assert rows == []


def test_an_end_that_ever_adds_charges_nothing(
    session_of: Callable[[str], AuditSession],
) -> None:
    flown, (kept, settled) = loaded(session_of(f"{PORT}:FinedAtDeparture"))
    assert runs_on(flown.rows[1], flown) and charges(kept, settled)
    settled.episodes[0].episode_return = 9.0
    assert not charges(kept, settled)


@pytest.mark.parametrize(
    ("case", "named"), [("FinedAtDeparture", True), ("FinedAnyway", False), ("LeavingCosts", False)]
)
def test_the_audit_says_so(case: str, named: bool, tmp_path: Path) -> None:
    given = {
        "target": f"{PORT}:{case}",
        "audit.seeds": 8,
        "audit.search": 300,
        "audit.budget": 10_000,
    }
    verdict, report = fly_audit(tmp_path, given, {})
    blocking = {finding.id for finding in report.findings if finding.blocks}
    assert ("settlement_avoided" in blocking) is named
    assert (verdict == Verdict.NO_GO) is bool(blocking) is named
