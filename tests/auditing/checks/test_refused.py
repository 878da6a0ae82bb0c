"""What the environment refuses in words and pays is suspicious; pay for time, and a token, are not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.auditing.audits import Audit, fly_audit

from gonogo.auditing.checks.refused import (
    REFUSED,
    lasts,
    refusal_in,
    refusals,
    refused_pays,
    told,
)
from gonogo.auditing.checks.without_success import early
from gonogo.auditing.survey import Survey, SurveyRow
from gonogo.auditing.suspicions import Suspicion
from gonogo.exploits.panel import Kind
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import Episode, Turn

pytestmark = pytest.mark.usefixtures("from_the_root")
NAME = "refused_action_pays"


def audit_refusals(case: str, out: Path) -> Audit:
    """Audit an environment of the zoo with nothing to help."""
    given = {"target": f"tests.zoo.refusals:{case}", "audit.seeds": 8, "audit.budget": 6_000}
    return fly_audit(out, given, {})


def episode(paid: list[float], said: str, seed: int = 1) -> Episode:
    """An episode that shows one text after each step."""
    shown = [{"said": "Begin."}, *({"said": said} for _ in paid)]
    turns = [
        Turn("", shown[n], action={"n": n}, reward=pay, done=n == len(paid) - 1)
        for n, pay in enumerate(paid)
    ]
    return Episode(
        0, {"seed": seed}, "t", "p", turns=turns, episode_return=sum(paid), final_observation=shown[-1]
    )  # fmt: skip


def survey(refused: float, idle: Episode, best: Episode, seeds: int = 4, others: int = 5) -> Survey:
    """Idling, the best that is known, and nonsense that is refused and paid so much a step."""
    nonsense = [episode([refused] * 10, "Unknown tool 'x'", n) for n in range(seeds)]
    return Survey(
        {},
        [
            SurveyRow("idle", Kind.IDLE, [idle]),
            *(SurveyRow(f"best {n}", Kind.CONSTANT, [best]) for n in range(others)),
            SurveyRow("nonsense", REFUSED, nonsense),
        ],
    )


def test_nonsense_that_is_refused_and_paid_is_suspicious(tmp_path: Path) -> None:
    _, report = audit_refusals("Paying", tmp_path)
    (finding,) = [each for each in report.findings if each.id == NAME]
    assert finding.severity is Severity.SUSPICIOUS
    assert "16 steps, refused with texts such as \"Unknown place: '" in finding.explanation
    assert "earn 0.64 in total" in finding.explanation


@pytest.mark.parametrize("case", ["Frugal", "Token", "Timed", "Enduring"])
def test_pay_for_time_and_a_token_are_not_suspicious(case: str, tmp_path: Path) -> None:
    _, report = audit_refusals(case, tmp_path)
    assert NAME not in {each.id for each in report.findings}


def test_a_refusal_is_a_new_text() -> None:
    assert refusal_in({"said": "Invalid id"}, set()) == "Invalid id"
    assert refusal_in({"said": "Invalid id"}, {"Invalid id"}) is None
    assert refusal_in({"said": "The mirrored terror"}, set()) is None
    assert refusal_in({"said": "Error: x is missing"}, set()) == "Error: x is missing"
    assert refusal_in({"said": "What to do:\n1. Invalid ids"}, set()) is None
    assert refusal_in({"said": "An error in the log"}, set()) is None
    assert refusal_in({"said": "Error rate: 3 %"}, set()) is None
    assert refusal_in({"said": "You find an unknown cave."}, set()) is None
    assert refusal_in({"said": "The key was not found here yet"}, set()) is None
    assert refusal_in({"said": "Tool 'x' not found"}, set()) == "Tool 'x' not found"
    assert refusal_in({"said": " \n"}, set()) is None
    one = episode([0.1, 0.0], "No such file")
    assert told(one) == ["No such file", "No such file"]
    assert refusals(one) == [True, False]


def test_a_share_of_the_best_is_asked_and_pay_for_time_explains() -> None:
    idle, best = episode([0.0] * 10, "Nothing."), episode([0.9], "Right.")
    (found,) = refused_pays(survey(0.05, idle, best))
    assert found.id == NAME
    assert not list(refused_pays(survey(0.01, idle, best)))
    assert not list(refused_pays(survey(0.05, idle, best, seeds=3)))
    assert list(early(survey(0.05, idle, best), {}, [])) == [NAME]
    assert not early(survey(0.05, idle, best, others=2), {}, [])
    assert not list(refused_pays(survey(0.05, episode([0.05] * 10, "Nothing."), best)))
    assert list(refused_pays(survey(0.05, episode([0.05] * 10, "Unknown."), best)))


def test_a_form_is_told_apart_only_when_nonsense_was_flown_in_its_field() -> None:
    flown = episode([0.5], "Well.")
    form = SurveyRow("the form alone", Kind.FORM, [flown], "text")
    found = {"format_outweighs_task": Suspicion("format_outweighs_task", form, flown, "", 1.0)}
    rows = [SurveyRow("idle", Kind.IDLE, [flown]), form]
    assert early(Survey({}, rows), found, []) == {}
    other = SurveyRow("nonsense", Kind.NONSENSE, [flown], "title")
    assert early(Survey({}, [*rows, other]), found, []) == {}
    assert early(Survey({}, [*rows, replace(other, field="text")]), found, []) == found
    plain = {"paid_for_idling": replace(found["format_outweighs_task"], row=rows[0])}
    assert early(Survey({}, rows), plain, []) == plain


def test_who_lasts_longer_at_the_same_pay_plays_for_lasting() -> None:
    short = episode([0.1] * 5, "Unknown.")
    assert lasts(episode([0.1] * 9, "Well."), short)
    assert not lasts(episode([0.1] * 5, "Well."), short)
    assert not lasts(episode([0.2] * 9, "Well."), short)
    assert not lasts(replace(short, turns=short.turns[:2], episode_return=0.2), short)
