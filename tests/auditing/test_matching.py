"""A failure beside a success is proven once, and what was not reached is said."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.auditing.audits import fly_audit
from tests.auditing.rows import IDLE, SOLVED, row

from gonogo.auditing.confirmation import Confirmed
from gonogo.auditing.last_check import last_check
from gonogo.auditing.matching import EARNS_AS_MUCH, Match, Matches, nearest_failure, prove_match
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import REFERENCE, SEARCHED, Survey, SurveyRow
from gonogo.exploits.panel import Kind
from gonogo.records.findings import Severity
from gonogo.records.success import JudgedSuccess
from gonogo.wire import JsonObject as Json

FAILURE = row("always 1", Kind.CONSTANT, [1.0])


def test_each_match_is_tried_once_and_another_one_later() -> None:
    matches, flown = Matches(), Survey({}, [IDLE, SOLVED, FAILURE])
    first = matches.take(flown, [])
    assert first is not None and first.row is FAILURE
    assert matches.take(flown, []) == first, "what was cut while it was proven is not tried yet"
    assert matches.unproven(flown, told=False)
    matches.close(first)
    assert matches.take(flown, []) is None
    richer = row("always 2", Kind.CONSTANT, [2.0])
    later = matches.take(flown.plus([richer]), [])
    assert later is not None and later.row is richer


def test_what_was_not_tried_is_said_unless_the_last_stage_was_flown() -> None:
    matches, flown = Matches(), Survey({}, [IDLE, SOLVED, FAILURE])
    (said,) = matches.unproven(flown, told=False)
    assert said.startswith("always 1: a failure earns as much as a success on its seed")
    assert matches.unproven(flown, told=True) == []
    tried = matches.take(flown, [])
    assert tried is not None
    matches.close(tried)
    assert matches.unproven(flown, told=False) == []
    poorer = replace(FAILURE, episodes=[])
    assert Matches().unproven(Survey({}, [IDLE, SOLVED, poorer]), told=False) == []


def test_the_nearest_failure_is_measured_on_its_own_seed() -> None:
    assert nearest_failure(Survey({}, [IDLE])) is None
    assert nearest_failure(Survey({}, [SOLVED])) is None
    guide, failing = row("solve", REFERENCE, [1.0], success=True), row("x", Kind.CONSTANT, [0.5])
    guide.episodes[3].episode_return = 0.75
    failing.episodes[5].episode_return = 0.7
    match = nearest_failure(Survey({}, [IDLE, guide, failing]))
    assert match is not None
    assert (match.row.name, match.failure.task, match.guide.name) == ("x", {"seed": 3}, "solve")
    assert match.short_by == 0.25
    del guide.episodes[4:], failing.episodes[:4]
    match = nearest_failure(Survey({}, [guide, failing]))
    assert match is None, "no seed has both"


def test_a_success_that_is_assumed_and_surpassed_is_in_doubt() -> None:
    assumed = JudgedSuccess(said_by="assumed", expression="resolved", why="", candidates=())
    clumsy, more = row("explored", SEARCHED, [0.5], success=True), row("x", Kind.CONSTANT, [0.7])
    found = nearest_failure(replace(Survey({}, [IDLE, clumsy, more]), judged=assumed))
    assert found is not None and found.doubted
    as_much = row("y", Kind.CONSTANT, [0.5])
    found = nearest_failure(replace(Survey({}, [IDLE, clumsy, as_much]), judged=assumed))
    assert found is not None and not found.doubted, "it is the best that is known"
    del more.episodes[3:]
    found = nearest_failure(replace(Survey({}, [IDLE, clumsy, more, as_much]), judged=assumed))
    assert found is not None and found.row is as_much and not found.doubted
    found = nearest_failure(replace(Survey({}, [IDLE, clumsy, more]), drawn=True))
    assert found is not None and found.doubted
    assert Matches().unproven(replace(Survey({}, [clumsy, more]), judged=assumed), told=False) == []


@pytest.mark.parametrize("judged", ["environment", "assumed"])
def test_a_doubted_match_is_proven_as_suspicious(
    judged: str, session_of: Callable[[str], AuditSession]
) -> None:
    session = session_of("tests.zoo.turns:PaidFiles")
    won, lost = won_and_lost(session)
    match = replace(Match(lost, lost.episodes[0], won, won.episodes[0]), turning=True)
    proof = prove_match(session, {}, replace(match, doubted=judged == "assumed"))
    assert not isinstance(proof, str), proof
    assert proof.finding.id == EARNS_AS_MUCH
    severity = Severity.SUSPICIOUS if judged == "assumed" else Severity.EXPLOIT
    assert proof.finding.severity is severity
    assert proof.finding.witness.resets_before == ({"seed": 5},)
    assert proof.finding.explanation.count("at reset 2 of a fresh process") == 1
    came = last_check(session, proof)
    assert isinstance(came, Confirmed) and came.finding == proof.finding


def won_and_lost(session: AuditSession) -> tuple[SurveyRow, SurveyRow]:
    """A success and a failure in the second file of two, on the same seed."""
    rows = []
    for name, wrong in (("mends", 0), ("gives up", 1)):
        (seen,) = session.plans("look", [({"seed": 5}, [{"line": 0}])], whole=True, after=1)
        assert seen.turns[0].observation["left"] == 8
        plan: list[Json] = [{"line": line + wrong} for line in order_of(5, 8)]
        rows.append(
            SurveyRow(name, SEARCHED, session.plans("plan", [({"seed": 5}, plan)], after=1))
        )
    assert [row.episodes[0].success for row in rows] == [True, False]
    return rows[0], rows[1]


def order_of(seed: int, size: int) -> list[int]:
    """The lines of a file."""
    rng = random.Random(seed)
    return [rng.randrange(1, 4) for _ in range(size)]


def test_a_success_in_another_episode_of_the_seed_is_no_measure(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of("tests.zoo.turns:Files")
    short = session.plans("plan", [({"seed": 5}, [{"line": n} for n in order_of(5, 2)])], after=0)
    long = session.plans(
        "plan", [({"seed": 5}, [{"line": n} for n in (*order_of(5, 8)[:6], 0)])], after=1
    )
    idle = session.plans("idle", [({"seed": 5}, [{"line": 0}])], after=0)
    assert (short[0].episode_return, long[0].episode_return) == (2.0, 6.0)
    rows = [SurveyRow("short", SEARCHED, short), SurveyRow("long", Kind.CONSTANT, long)]
    found = nearest_failure(Survey({}, [*rows, SurveyRow("idle", Kind.IDLE, idle)]))
    assert found is not None and found.row.name == "idle", "the long file was mended by nobody"
    assert found.short_by == 2.0


@pytest.mark.usefixtures("from_the_root")
def test_files_that_turn_with_each_reset_are_not_held_against_each_other(tmp_path: Path) -> None:
    given = {"target": "tests.zoo.turns:Files", "audit.reference": "tests.zoo.turns:mend"}
    _, report = fly_audit(tmp_path, {**given, "audit.seeds": 8, "audit.budget": 4000}, {})
    assert [found.id for found in report.findings if found.blocks] == []
    assert "earns as much as a success" not in report.reason


@pytest.mark.parametrize(("failed", "short"), [(1 - 1e-12, 0.0), (0.9, 0.1), (1.5, -0.5)])
def test_a_rounding_error_is_nothing(failed: float, short: float) -> None:
    failing = row("x", Kind.CONSTANT, [failed])
    match = Match(failing, failing.episodes[0], SOLVED, SOLVED.episodes[0])
    assert match.short_by == pytest.approx(short) and (short != 0) == (match.short_by != 0)


def test_both_are_flown_again_or_it_is_said_who_did_not_come_out_so(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of("tests.zoo.single:Laureate")
    (flown,) = session.plans("plan", [({}, [{"add": 1}])])
    failing = SurveyRow("adds", Kind.CONSTANT, [flown])
    said = prove_match(session, {}, Match(failing, flown, SOLVED, flown))
    assert said == "a success of solve did not succeed again in a fresh process"


def test_a_match_is_proven_with_the_shortest_failure(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of("tests.zoo.single:Stamped")
    tasks = [{"seed": 0}]
    rows = [
        SurveyRow(f"adds {n}", Kind.CONSTANT, session.plans("plan", [(tasks[0], [{"add": n}])]))
        for n in range(3)
    ]
    (won,) = [row for row in rows if row.succeeded]
    lost = next(row for row in rows if row.failed)
    match = Match(lost, lost.episodes[0], won, won.episodes[0])
    said = prove_match(session, {}, match)
    assert isinstance(said, str)
    assert said.startswith(f"{lost.name} failed and earned 0, as much as a success on its seed")
    assert EARNS_AS_MUCH == "failure_earns_as_much"
