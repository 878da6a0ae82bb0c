"""All names at once: a finding where one of them is right and the others beside it cost nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.auditing.audits import fly_audit

from gonogo.auditing.checks.beginnings import Beginnings
from gonogo.auditing.checks.named_at_once import (
    ALONE,
    REST,
    AllAtOnce,
    named_at_once,
    named_rows,
)
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, SurveyRow, fly_idle
from gonogo.records.findings import Severity
from gonogo.wire import Action, JsonValue

PORT = "tests.zoo.port"


def named(session: AuditSession) -> tuple[Survey, list[SurveyRow]]:
    """Idling, and what the check makes of it."""
    tasks = session.tasks({}, range(4))
    flown = Survey({}, [fly_idle(session, tasks)])
    return flown, list(named_rows(Beginnings(session, tasks), flown))


def test_one_right_name_among_all_is_paid_as_it_is_alone(
    session_of: Callable[[str], AuditSession],
) -> None:
    flown, rows = named(session_of(f"{PORT}:AnyMention"))
    assert [row.name.rpartition(": ")[2] for row in rows[:2]] == [ALONE, REST]
    (found,) = named_at_once(flown.plus(rows))
    assert found.id == "shotgun_answer_pays" and found.severity is not Severity.SUSPICIOUS
    assert "each item of observation.suspects at once beside do=accuse" in found.explanation
    assert not list(named_at_once(flown.plus(rows[1:])))


def test_names_that_cost_a_little_are_only_suspicious(
    session_of: Callable[[str], AuditSession],
) -> None:
    flown, rows = named(session_of(f"{PORT}:Priced"))
    (found,) = named_at_once(flown.plus(rows))
    assert found.severity is Severity.SUSPICIOUS


def test_names_are_sent_in_tags_where_an_answer_stands_in_some(
    session_of: Callable[[str], AuditSession],
) -> None:
    flown, rows = named(session_of(f"{PORT}:InTags"))
    (found,) = named_at_once(flown.plus(rows))
    assert found.severity is not Severity.SUSPICIOUS
    assert "each item of observation.suspects in <name>…</name> at once" in found.explanation


def test_names_in_tags_are_no_answer_where_one_tag_is(
    session_of: Callable[[str], AuditSession],
) -> None:
    assert not named(session_of(f"{PORT}:InOneTag"))[1]


def test_few_right_names_among_all_are_suspicious_for_a_round_of_all_may_be_the_work(
    session_of: Callable[[str], AuditSession],
) -> None:
    flown, rows = named(session_of(f"{PORT}:HeldBack"))
    (found,) = named_at_once(flown.plus(rows))
    assert found.id == "shotgun_answer_pays" and found.severity is Severity.SUSPICIOUS
    assert "each key of observation.crates at once" in found.explanation


@dataclass(frozen=True)
class ManyOnly:
    """A list of crates that takes no fewer than so many.

    Attributes:
        least: How many.
    """

    least: int
    name: str = "held"
    base: Action = field(default_factory=dict)

    def action(self, value: JsonValue) -> Action | None:
        """What is sent for some crates."""
        fits = isinstance(value, list) and len(value) >= self.least
        return {"held": value} if fits else None

    def beside(self, chosen: object) -> None:
        """Nothing stands beside it."""


@pytest.mark.parametrize("least", [4, 9, 10])
def test_names_that_can_only_be_sent_together_are_none(
    least: int, session_of: Callable[[str], AuditSession]
) -> None:
    session = session_of(f"{PORT}:HeldBack")
    (task,) = session.tasks({}, range(1))
    way = AllAtOnce(ManyOnly(least), "", "key of observation.crates", None, None)
    assert set(way.fly(session, task)) == {way.name}


@pytest.mark.parametrize("case", ["NobodyElse", "AllOfThem", "HeldRightly"])
def test_names_that_cost_or_count_are_none(
    case: str, session_of: Callable[[str], AuditSession]
) -> None:
    _, rows = named(session_of(f"{PORT}:{case}"))
    assert rows == []


@pytest.mark.parametrize("case", ["AllMayBeCalled", "AnybodyFree"])
def test_a_part_of_a_mark_that_goes_on_and_who_cannot_be_known_are_only_suspicious(
    case: str, session_of: Callable[[str], AuditSession]
) -> None:
    flown, rows = named(session_of(f"{PORT}:{case}"))
    (found,) = named_at_once(flown.plus(rows))
    assert found.severity is Severity.SUSPICIOUS


@pytest.mark.parametrize(("case", "says"), [("AnyMention", True), ("NobodyElse", False)])
def test_the_audit_says_so(case: str, says: bool, tmp_path: Path) -> None:
    given = {"target": f"{PORT}:{case}", "audit.seeds": 8, "audit.search": 300}
    _, report = fly_audit(tmp_path, given, {})
    blocking = {finding.id for finding in report.findings if finding.blocks}
    assert bool(blocking & {"shotgun_answer_pays", "keywords_pay"}) is says
