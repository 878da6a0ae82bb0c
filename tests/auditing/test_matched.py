"""A failure that earns what a success on the same seed does is found, and the nearest is what the table tells."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.auditing.audits import fly_audit
from tests.auditing.rows import IDLE, SOLVED, row

from gonogo.auditing.matched import FINDING, Match, nearest_failure, prove_match
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import REFERENCE, Survey, SurveyRow
from gonogo.evaluation.replay import replay
from gonogo.exploits.panel import Kind
from gonogo.records.record import Verdict

pytestmark = pytest.mark.usefixtures("from_the_root")


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
    assert FINDING == "failure_earns_as_much"


@pytest.mark.parametrize(
    ("name", "found"), [("UnpaidLock", ["failure_earns_as_much"]), ("PaidLock", [])]
)
def test_a_failure_that_earns_what_a_success_does_is_found_and_the_table_agrees(
    name: str, found: list[str], tmp_path: Path
) -> None:
    given = {"target": f"tests.zoo.single:{name}", "audit.reference": "tests.zoo.single:lock"}
    verdict, record = fly_audit(tmp_path, {**given, "audit.seeds": 4, "audit.budget": 200})
    assert [finding.id for finding in record.findings] == found
    assert verdict is (Verdict.NO_GO if found else Verdict.GO)
    numbers = record.tasks[0].numbers
    assert numbers.best_failing_return == 1.0
    assert numbers.success_on_its_seed == numbers.best_known_return
    assert (numbers.success_on_its_seed > 1.0) == (not found)
    if found:
        assert replay(tmp_path / "witnesses.jsonl", None).verdict is Verdict.GO
