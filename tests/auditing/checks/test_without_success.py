"""What is accused where nothing says success, and what pays alike and is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.auditing.audits import Audit, fly_audit
from tests.auditing.rows import IDLE, SOLVED, row

from gonogo.auditing.checks.without_success import without_success
from gonogo.auditing.survey import REFERENCE, SEARCHED, Survey
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
        ("AnyBid", "success_costs_nothing", Severity.EFFORTLESS, ({"amount": 10**12},)),
        ("Swept", "emptying_pays", Severity.EFFORTLESS, ({"do": "delete"},)),
    ],
)
def test_pay_for_nothing_is_proven_where_nothing_says_success(
    case: str, name: str, severity: Severity, plan: tuple[object, ...], tmp_path: Path
) -> None:
    verdict, report = audit_untold(case, tmp_path)
    finding, witness = only(report.findings)
    assert verdict == Verdict.NO_GO
    assert (finding.id, finding.severity, witness.plan) == (name, severity, plan)


def test_what_came_back_is_paid_when_it_is_pasted(tmp_path: Path) -> None:
    _, report = audit_untold("Contained", tmp_path)
    finding, witness = only(report.findings)
    assert (finding.id, finding.severity) == ("shotgun_answer_pays", Severity.EFFORTLESS)
    sent = witness.actions[-1]
    assert sent["do"] == "answer" and len(sent["text"].split()) > 9


def test_a_course_that_is_begun_again_is_paid_again(tmp_path: Path) -> None:
    _, report = audit_untold("PaidAnew", tmp_path)
    finding, witness = only(report.findings)
    assert (finding.id, finding.severity) == ("farmable_cycle", Severity.EXPLOIT)
    assert {action["do"] for action in witness.actions} == {"first", "restart"}
    assert witness.total >= 3.0


def test_an_answer_that_only_the_state_tells_is_paid(tmp_path: Path) -> None:
    _, report = audit_untold("ToldByState", tmp_path)
    finding, witness = only(report.findings)
    assert (finding.id, witness.total) == ("leaked_answer", 1.0)


def test_a_score_that_is_paid_at_each_step_is_paid_again_for_idling(tmp_path: Path) -> None:
    verdict, report = audit_untold("ScoreEachStep", tmp_path)
    finding, witness = only(report.findings)
    assert verdict == Verdict.NO_GO
    assert (finding.id, finding.severity) == ("score_paid_again", Severity.EXPLOIT)
    assert len(set(witness.rewards)) == 1
    assert witness.total > 1.0


SOUND = [
    "Wages", "ScoreGained", "Warmth", "RightEssay", "WhatWasDone", "Pole", "Exact", "ToldNothing", "CostlyBid",
    "PaidOnce", "SweptAway",
]  # fmt: skip


@pytest.mark.parametrize("case", SOUND)
def test_a_sound_game_that_pays_alike_is_not_accused(case: str, tmp_path: Path) -> None:
    verdict, report = audit_untold(case, tmp_path)
    assert verdict is not Verdict.NO_GO
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


def test_a_text_that_earns_more_than_the_honest_policy_is_an_exploit() -> None:
    said = {"field": "text", "action": {"text": "?"}}
    rows = [row(f"r{n}", Kind.RANDOM, [0.1 * n]) for n in range(3)]
    idle, honest = row("idle", Kind.IDLE, [0.0]), row("solve", REFERENCE, [0.6])
    rows += [row("filled", Kind.NONSENSE, [0.7], **said), row("searched", SEARCHED, [0.9])]
    survey = Survey({}, [idle, honest, *rows])
    for episode in survey.episodes:
        episode.success = None
    suspicion = without_success(survey)["paid_without_trying"]
    assert (suspicion.row.name, suspicion.severity) == ("filled", Severity.EXPLOIT)
    dear = row("solve", REFERENCE, [1.6])
    for episode in dear.episodes:
        episode.success = None
    assert "paid_without_trying" not in without_success(Survey({}, [idle, dear, *rows]))


def test_stuffed_words_are_named_where_nonsense_is_paid_less() -> None:
    said = {"field": "text", "action": {"text": "?"}}
    rows = [row("idle", Kind.IDLE, [0.0]), *(row(f"r{n}", Kind.RANDOM, [0.1]) for n in range(4))]
    nonsense, words = (
        row("n", Kind.NONSENSE, [0.1], **said),
        row("w", Kind.WORDS, [0.9], field="text"),
    )
    survey = Survey({}, [*rows, nonsense, words])
    for episode in survey.episodes:
        episode.success, episode.turns[-1].done = None, True
    suspicion = without_success(survey)["keywords_pay"]
    assert (suspicion.row.name, suspicion.severity) == ("w", Severity.EFFORTLESS)
    for episode in nonsense.episodes:
        episode.episode_return = 0.8
    assert "keywords_pay" not in without_success(survey)
