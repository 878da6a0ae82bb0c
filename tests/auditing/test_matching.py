"""A failure beside a success is proven once, and what was not reached is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.auditing.rows import IDLE, SOLVED, row

from gonogo.auditing.matching import EARNS_AS_MUCH, Match, Matches, nearest_failure, prove_match
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import REFERENCE, Survey, SurveyRow
from gonogo.exploits.panel import Kind

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
