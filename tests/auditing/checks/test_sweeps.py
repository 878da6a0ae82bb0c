"""Each thing destroyed in turn: pay for it is a finding where what is left does not matter, and no game is accused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.auditing.audits import Audit, fly_audit

from gonogo.auditing.checks.beginnings import Beginnings
from gonogo.auditing.checks.sweeps import (
    Sweep,
    destroying,
    in_words,
    listed,
    named_in,
    swept_rows,
)
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, fly_idle
from gonogo.contract.moved_shares import MovedShare
from gonogo.exploits.panel import Kind
from gonogo.records.contract import SourcePlace
from gonogo.records.findings import Severity
from gonogo.records.record import Verdict
from gonogo.rollouts.space import Space
from gonogo.wire import Action

pytestmark = pytest.mark.usefixtures("from_the_root")


def audit_shelf(case: str, out: Path, module: str = "shelves", budget: int = 4_000) -> Audit:
    """Audit an environment of the zoo with nothing to help."""
    given = {
        "target": f"tests.zoo.{module}:{case}",
        "audit.seeds": 12,
        "audit.search": 300,
        "audit.budget": budget,
    }
    return fly_audit(out, given, {})


@pytest.mark.parametrize(
    ("case", "found", "left"),
    [
        ("ShareOfLeft", "emptying_pays", " but one"),
        ("NoneWrong", "success_costs_nothing", ""),
    ],
)
def test_destroying_what_is_checked_is_proven_where_something_mends(
    case: str, found: str, left: str, tmp_path: Path
) -> None:
    verdict, report = audit_shelf(case, tmp_path)
    (finding,) = [each for each in report.findings if each.blocks]
    assert verdict == Verdict.NO_GO
    assert (finding.id, finding.severity) == (found, Severity.EFFORTLESS)
    assert f"do=remove, card: each key of observation.said{left}, then" in finding.explanation


@pytest.mark.parametrize(
    "case",
    [
        "WholeShelf",
        "NoneLost",
        "OnlyDoubles",
        "BareShelf",
        "LastSuspect",
        "SmallMark",
        "OneOfMany",
    ],
)
def test_no_game_in_which_it_matters_what_is_left_is_accused(case: str, tmp_path: Path) -> None:
    _, report = audit_shelf(case, tmp_path)
    assert [each.id for each in report.findings] == []
    assert [row.policy for row in report.tasks[0].policies if row.kind == "sweep"] == []


def test_taking_away_by_another_name_is_proven_where_the_reward_divides_by_what_is_left(
    tmp_path: Path,
) -> None:
    verdict, report = audit_shelf("HealthyOfLeft", tmp_path, "desk", 3_000)
    (finding,) = [each for each in report.findings if each.blocks]
    assert verdict == Verdict.NO_GO
    assert (finding.id, finding.severity) == ("emptying_pays", Severity.EFFORTLESS)
    assert "do=drain, service: each key of observation.services but one" in finding.explanation
    assert "divides by services, which" in finding.explanation


@pytest.mark.parametrize(
    "case", ["HealthyOfAll", "ShareOfWaiting", "WithdrawingCosts", "FreedEnough", "OneMayStay"]
)
def test_no_sweep_earns_where_the_rest_counts_or_something_is_to_be_done(
    case: str, session_of: Callable[[str], AuditSession]
) -> None:
    session = session_of(f"tests.zoo.desk:{case}")
    tasks = session.tasks({}, range(4))
    flown = Survey({}, [fly_idle(session, tasks)])
    assert [
        row for row in swept_rows(Beginnings(session, tasks), flown) if row.kind == Kind.SWEEP
    ] == []


@pytest.mark.parametrize("case", ["FreedEnough", "OneMayStay"])
def test_destroying_that_is_the_task_is_suspicious_at_most(case: str, tmp_path: Path) -> None:
    _, report = audit_shelf(case, tmp_path, "desk", 3_000)
    assert [each.id for each in report.findings if each.blocks] == []
    assert "work" in [row.kind for row in report.tasks[0].policies]


def space(*verbs: str) -> Space:
    """Actions of a verb and a name."""
    fields = {"do": {"type": "string", "enum": list(verbs)}, "name": {"type": "string"}}
    return Space({"properties": fields, "required": ["do", "name"]})


def test_an_action_destroys_by_its_name_beside_one_that_mends() -> None:
    (how,) = destroying(space("look", "delete_row", "set_row"))
    assert (how.place.name, how.beside) == ("name", "do=delete_row")
    assert how.mends is not None
    assert (how.mends["do"], how.moves) == ("set_row", "")
    assert destroying(space("look", "delete_row", "read_row")) == []
    assert destroying(space("look", "serve_guest", "set_row")) == []


def test_an_action_of_any_name_destroys_what_the_source_says_it_moves() -> None:
    place = SourcePlace(file="env.py", line=7, inside="", text="", when=None)
    share = MovedShare("services", place, ("_drain",), ("drain",))
    (how,) = destroying(space("look", "drain", "restart"), [share])
    assert (how.place.name, how.beside, how.mends) == ("name", "do=drain", None)
    assert how.moves == "env.py:7 divides by services, which _drain can move"
    assert destroying(space("look", "restart"), [share]) == []


def test_names_are_read_where_several_differ_and_fit() -> None:
    place = destroying(space("look", "delete", "set"))[0].place
    seen = {"rows": {"a": 1, "b": 1}, "one": ["x"], "numbers": [1, 2], "twice": ["y", "y"]}
    assert named_in(seen, place) == {"key of observation.rows": ("a", "b")}


def test_what_is_listed_and_what_is_said_apart_from_numbers() -> None:
    assert listed({"said": ["a", 2], "rows": {"c": 1}}) == {"a", "2", "c"}
    assert in_words({"said": "a left 3"}, "ab") == in_words({"said": "b left 2"}, "ab")
    assert in_words({"said": "gone"}, "ab") != in_words({"said": "no such row"}, "ab")


@pytest.mark.parametrize(("case", "gone"), [("ShareOfLeft", True), ("DiaryShelf", False)])
def test_a_growing_history_is_no_sign_that_something_is_gone(
    case: str, gone: bool, session_of: Callable[[str], AuditSession]
) -> None:
    session = session_of(f"tests.zoo.shelves:{case}")
    ask: Action = {"do": "list", "card": "", "word": ""}
    (episode,) = session.plans("list", [({"seed": 1}, [ask])], whole=True, turns=1)
    how = next(each for each in destroying(session.space) if each.place.name == "card")
    (among, names), *_ = named_in(episode.final_observation, how.place).items()
    sweep = Sweep(how, among, ask, None)
    assert sweep.is_gone(session, {"seed": 1}, names, episode.final_observation) is gone
