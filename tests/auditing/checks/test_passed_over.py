"""One item in its turn that earns all there is: a finding where the rest is passed over, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

import pytest
from tests.auditing.audits import fly_audit

from gonogo.auditing.checks.beginnings import Beginnings
from gonogo.auditing.checks.passed_over import OneInTurn, passed_over_rows
from gonogo.auditing.checks.uncounted import uncounted
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, fly_idle
from gonogo.auditing.suspicions import Suspicion
from gonogo.records.record import Verdict
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.wire import Action, TaskOptions

CALLS = "tests.zoo.in_turn"
TRIED: list[Action] = [
    {"do": "ring"},
    {"do": "close"},
    *({"do": "connect", "line": line} for line in ("sales", "repair", "refunds")),
]


def suspected(session: AuditSession, drawn: bool = False) -> list[Suspicion]:
    """What the check alone suspects, after each action was tried once."""
    tasks = session.tasks({}, range(4))
    flown = Survey({}, [fly_idle(session, tasks)], drawn=drawn)
    explored = session.plans("by hand", [(tasks[0], [action]) for action in TRIED], whole=True)
    for row in passed_over_rows(Beginnings(session, tasks), flown, explored):
        flown = flown.having(row)
    return list(uncounted(flown))


def test_a_rate_over_those_who_were_answered_is_suspected(
    session_of: Callable[[str], AuditSession],
) -> None:
    (found,) = suspected(session_of(f"{CALLS}:RateOfAnswered"))
    assert (found.id, found.severity) == ("rest_not_counted", None)
    assert "one item answered alone" in found.explanation
    assert "earns 1 or more on each of 4 seeds" in found.explanation
    assert [turn.action for turn in found.witness.turns][-1] == {"do": "close"}


def test_nothing_is_held_against_another_where_the_seed_does_not_tell_the_callers(
    session_of: Callable[[str], AuditSession],
) -> None:
    assert suspected(session_of(f"{CALLS}:RateOfAnswered"), drawn=True) == []


@pytest.mark.parametrize(
    "case", ["RateOfAll", "OneCaller", "FirstWhoBuys", "NobodyWronged", "PointsPerCaller"]
)
def test_no_desk_is_suspected_at_which_all_callers_count_or_one_is_all_there_is(
    case: str, session_of: Callable[[str], AuditSession]
) -> None:
    assert suspected(session_of(f"{CALLS}:{case}")) == []


def test_no_desk_is_suspected_where_the_readme_asks_for_one_caller(
    session_of: Callable[[str], AuditSession], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(AuditSession, "spoken", ("Connect any one caller.",))
    assert suspected(session_of(f"{CALLS}:RateOfAnswered")) == []


class Unpaid:
    """A session whose episodes have a hundred unpaid steps."""

    steps = 0

    def plans(
        self, name: str, plans: Sequence[tuple[TaskOptions, Sequence[Action]]], **_: object
    ) -> list[Episode]:
        self.steps += 100 * len(plans)
        turns = [Turn("", {}, action={"do": "ring"}, reward=0.0) for _ in range(100)]
        return [Episode(0, t, "t", name, turns=turns, episode_return=0.0) for t, _ in plans]


def test_the_first_item_that_earns_nothing_and_costs_much_is_the_last_one() -> None:
    session = Unpaid()
    way = OneInTurn({"do": "ring"}, [{"do": "connect", "line": str(n)} for n in range(20)], None)
    assert way.fly(cast(AuditSession, session), {"seed": 0}) == {}
    assert session.steps == 2_000


@pytest.mark.usefixtures("from_the_root")
def test_an_audit_names_it_without_being_told_anything(tmp_path: Path) -> None:
    given = {
        "target": f"{CALLS}:RateOfAnswered",
        "audit.seeds": 8,
        "audit.search": 200,
        "audit.budget": 12_000,
    }
    verdict, report = fly_audit(tmp_path, given, {})
    assert verdict == Verdict.NO_GO
    assert "rest_not_counted" in {each.id for each in report.findings if each.blocks}
