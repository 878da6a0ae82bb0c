"""What is accused where nothing says success, and what pays alike and is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.auditing.audits import Audit, fly_audit
from tests.auditing.rows import IDLE, SOLVED, row

from gonogo.auditing.checks.without_success import without_success
from gonogo.auditing.survey import Survey
from gonogo.exploits.panel import Kind
from gonogo.records.findings import EpisodeWitness, Finding, Severity
from gonogo.records.record import Verdict

pytestmark = pytest.mark.usefixtures("from_the_root")


def audit_untold(case: str, out: Path) -> Audit:
    """Audit an environment of the zoo that says no success, with nothing to help."""
    given = {"target": f"tests.zoo.untold:{case}", "audit.seeds": 6, "audit.budget": 600}
    return fly_audit(out, given, {})


def only(found: tuple[Finding, ...]) -> tuple[Finding, EpisodeWitness]:
    """The one finding that blocks, with its witness."""
    (finding,) = [each for each in found if each.blocks]
    assert isinstance(finding.witness, EpisodeWitness)
    return finding, finding.witness


@pytest.mark.parametrize(
    ("case", "name", "severity", "plan"),
    [
        ("EndlessNotes", "paid_again", Severity.EXPLOIT, ({"kind": "note"},)),
        ("HalfDone", "paid_without_trying", Severity.EFFORTLESS, ({"do": "leave"},)),
        ("AnyEssay", "paid_without_trying", Severity.EFFORTLESS, ({"answer": ""},)),
        ("Flat", "paid_without_trying", Severity.EFFORTLESS, ({"push": "left"},)),
        ("Lucky", "success_costs_nothing", Severity.EFFORTLESS, ({"push": "left"},)),
    ],
)
def test_pay_for_nothing_is_proven_where_nothing_says_success(
    case: str, name: str, severity: Severity, plan: tuple[object, ...], tmp_path: Path
) -> None:
    verdict, report = audit_untold(case, tmp_path)
    finding, witness = only(report.findings)
    assert verdict == Verdict.NO_GO
    assert (finding.id, finding.severity, witness.plan) == (name, severity, plan)


def test_a_score_that_is_paid_at_each_step_is_paid_again_for_idling(tmp_path: Path) -> None:
    verdict, report = audit_untold("ScoreEachStep", tmp_path)
    finding, witness = only(report.findings)
    assert verdict == Verdict.NO_GO
    assert (finding.id, finding.severity) == ("score_paid_again", Severity.EXPLOIT)
    assert len(set(witness.rewards)) == 1
    assert witness.total > 1.0


@pytest.mark.parametrize(
    "case", ["Wages", "ScoreGained", "Warmth", "RightEssay", "WhatWasDone", "Pole"]
)
def test_a_sound_game_that_pays_alike_is_not_accused(case: str, tmp_path: Path) -> None:
    verdict, report = audit_untold(case, tmp_path)
    assert verdict == Verdict.HOLD
    assert [finding for finding in report.findings if finding.blocks] == []


def test_where_success_is_known_only_its_price_is_asked_for() -> None:
    paid = row("x", Kind.NONSENSE, [0.3] * 6, field="text", action={"text": "?"})
    assert without_success(Survey({}, [IDLE, SOLVED, paid])) == {}
    free = row("idle", Kind.IDLE, [0.0] * 5 + [1.0], success=True, action={})
    assert set(without_success(Survey({}, [free, SOLVED]))) == {"success_costs_nothing"}
    cheap = row("idle", Kind.IDLE, [0.0] * 5 + [0.5], success=True, action={})
    assert without_success(Survey({}, [cheap, SOLVED])) == {}


def test_a_success_that_comes_early_is_said_once() -> None:
    free = row("idle", Kind.IDLE, [1.0], success=True, action={})
    assert without_success(Survey({}, [free, SOLVED]), {"early_end_success"}) == {}


def test_a_survey_that_was_broken_off_tells_nothing() -> None:
    free = row("idle", Kind.IDLE, [1.0], success=True, action={})
    assert without_success(Survey({}, [free, SOLVED], broken_off=True)) == {}
