"""What the environment refuses and pays: nonsense is suspicious, what earns all there is blocks.

Pay for time, a token, and refusals that are news are neither.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.auditing.audits import Audit, fly_audit

from gonogo.auditing.checks.refused import (
    REFUSED,
    lasts,
    refusal_in,
    refusals,
    refused_in_full,
    refused_pays,
    told,
)
from gonogo.auditing.checks.without_success import early
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import REFERENCE, Survey, SurveyRow, fly_habit, fly_idle
from gonogo.auditing.suspicions import Suspicion
from gonogo.exploits.crossings import emptyings
from gonogo.exploits.panel import Kind
from gonogo.records.findings import Severity
from gonogo.records.record import Verdict
from gonogo.rollouts.episodes import Episode, Turn

pytestmark = pytest.mark.usefixtures("from_the_root")
NAME = "refused_action_pays"


def audit_refusals(case: str, out: Path, budget: int = 6_000) -> Audit:
    """Audit an environment of the zoo with nothing to help."""
    given = {"target": f"tests.zoo.refusals:{case}", "audit.seeds": 8, "audit.budget": budget}
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
    assert refusal_in({"body": {"error": "missing parameter"}}, set()) == "missing parameter"
    assert refusal_in({"error": "No error."}, set()) is None
    assert refusal_in({"error": ""}, set()) is None
    assert refusal_in({"errors_seen": "many"}, set()) is None
    assert refusal_in({"status": 422, "error": "lacks a name"}, set()) == "status 422"
    assert refusal_in({"status": 422}, {"status 422"}) is None
    assert refusal_in({"http_status_code": 503}, set()) == "http_status_code 503"
    assert refusal_in({"status": 200}, set()) is None
    assert refusal_in({"status": True}, set()) is None
    assert refusal_in({"postcode": 422, "code": 1200}, set()) is None
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


def swept(session: AuditSession) -> list[Suspicion]:
    """What is suspected of the rows that hand in each form in turn, beside idling."""
    tasks = session.tasks({}, range(4))
    ways = [way for way in emptyings(session.space) if way.name.endswith("each name in turn")]
    rows = [fly_habit(session, way.habit(), tasks) for way in ways]
    return list(refused_in_full(Survey({}, [fly_idle(session, tasks), *rows])))


@pytest.mark.parametrize(
    ("case", "severity"),
    [("AnyFormPaid", Severity.EFFORTLESS), ("AnyFormInWords", Severity.SUSPICIOUS)],
)
def test_each_thing_in_turn_that_is_refused_and_paid_as_if_done_is_told(
    case: str, severity: Severity, session_of: Callable[[str], AuditSession]
) -> None:
    (found,) = swept(session_of(f"tests.zoo.refusals:{case}"))
    assert (found.id, found.severity) == (NAME, severity)
    assert "24 of 28 paid steps on 4 seeds are refused" in found.explanation


@pytest.mark.parametrize("case", ["TakenFormPaid", "TriedFormPaid", "RefusalPaid", "DeadLinks"])
def test_no_refusal_that_costs_or_is_the_task_or_news_is_accused(
    case: str, session_of: Callable[[str], AuditSession]
) -> None:
    found = swept(session_of(f"tests.zoo.refusals:{case}"))
    assert {each.severity for each in found} <= {Severity.SUSPICIOUS}
    assert bool(found) is (case == "DeadLinks")


def test_an_audit_proves_it_and_asks_for_no_success(tmp_path: Path) -> None:
    verdict, report = audit_refusals("AnyFormPaid", tmp_path, 8_000)
    (finding,) = [each for each in report.findings if each.blocks]
    assert (verdict, finding.id) == (Verdict.NO_GO, NAME)


def handed_in(seed: int, answers: list[tuple[str, float, int | str | None]]) -> Episode:
    """An episode in which forms are handed in, each with its pay, and a status or an error."""
    shown: list[dict[str, object]] = [{"error": None}]
    for _, _, said in answers:
        shown.append({"status": said} if isinstance(said, int) else {"error": said})
    turns = [
        Turn("", shown[n], action={"do": "hand_in", "form": form}, reward=pay)
        for n, (form, pay, _) in enumerate(answers)
    ]
    return Episode(
        0, {"seed": seed}, "t", "p", turns=turns, episode_return=sum(pay for _, pay, _ in answers),
        final_observation=shown[-1],
    )  # fmt: skip


def forms(
    answers: list[tuple[str, float, int | str | None]],
    *,
    seeds: int = 4,
    waits: float = 0.0,
    rightly: list[tuple[str, float, int | str | None]] | None = None,
) -> list[Suspicion]:
    """What is suspected of handing in each form in turn, beside idling and somebody who does it rightly."""
    idle = [episode([waits] * 5, "Nothing.", n) for n in range(seeds)]
    swept = [handed_in(n, answers) for n in range(seeds)]
    meant = [handed_in(n, rightly or []) for n in range(seeds)]
    for turn in (turn for e in meant for turn in e.turns):
        turn.action = {**(turn.action or {}), "text": "filled in"}
    context = {"do": "hand_in"}
    return list(
        refused_in_full(
            Survey(
                {},
                [
                    SurveyRow("idle", Kind.IDLE, idle),
                    SurveyRow("each in turn", Kind.EMPTYING, swept, "form", context=context),
                    *([SurveyRow("solve", REFERENCE, meant)] if rightly else []),
                ],
            )
        )
    )


def test_what_blames_what_was_sent_blocks_and_news_does_not() -> None:
    def answered(
        refusal: int | str, taken: int | None = 200
    ) -> list[tuple[str, float, int | str | None]]:
        return [*((name, 0.2, refusal) for name in "abcd"), ("e", 0.2, taken)]

    def weights(found: list[Suspicion]) -> list[Severity | None]:
        return [each.severity for each in found]

    right: list[tuple[str, float, int | str | None]] = [(name, 0.2, None) for name in "abcde"]
    assert weights(forms(answered(422))) == [Severity.EFFORTLESS]
    assert weights(forms(answered(404))) == [Severity.SUSPICIOUS]
    assert weights(forms(answered(422, None))) == [Severity.SUSPICIOUS]
    assert weights(forms(answered("lacks a name", None))) == [Severity.SUSPICIOUS]
    assert weights(forms(answered("lacks a name", None), rightly=right)) == [Severity.EFFORTLESS]
    assert forms(answered(422), seeds=3) == []
    assert forms(answered(422), waits=0.19) == []
    assert forms([*answered(422)[:3], *(("e", 0.2, 200),) * 3]) == []
    assert forms([*answered(422)[:4], ("e", 0.9, 200)]) == []
    stays: list[tuple[str, float, int | str | None]] = [("e", 0.2, None), *answered("lacks")[:4]]
    assert forms(stays) == []
    half = [(name, pay / 2, said) for name, pay, said in answered(422)]
    assert weights(forms(half)) == [Severity.SUSPICIOUS]
