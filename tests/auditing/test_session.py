"""An audit session asks for tasks in the way that the environment takes them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.records_made import contract_report

from gonogo import config
from gonogo.auditing.flight_log import FlightLog
from gonogo.auditing.progress import AuditProgress
from gonogo.auditing.session import STILL, AuditContext, AuditSession, seed_offered
from gonogo.env.environment import Env
from gonogo.wire import JsonObject as Json

ROOT = Path(__file__).parents[2]
OPTIONAL: Json = {"schema": {}, "default": None, "required": False}


def test_a_task_that_takes_no_seed_is_flown_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    given = {"target": "tests.zoo.single:Numbered", "out": str(tmp_path)}
    run = config.load(None, given)
    context = AuditContext(
        Env.of(run),
        run,
        contract_report(),
        FlightLog(tmp_path / "log.jsonl"),
        AuditProgress().part("x"),
    )
    with closing(AuditSession(context)) as session:
        assert session.tasks({}, [4, 7]) == [{"seed": 4}, {"seed": 7}]
        assert session.tasks({"index": 2}, [4, 7]) == [{"index": 2}, {"index": 2}]
        flown = session.fly(session.panel()[0], session.tasks({"index": 2}, [4, 7]))
    assert [episode.turns[0].observation["total"] for episode in flown] == [2, 2]


def test_the_sessions_of_an_audit_read_the_environments_functions_once(
    context_of: Callable[..., AuditContext],
) -> None:
    context = context_of("tests.zoo.single:Numbered")
    with closing(AuditSession(context)) as one, closing(AuditSession(context)) as other:
        assert one.followed is not None
        assert one.followed is other.followed
        assert one.shares is other.shares


def dug(session: AuditSession, *seeds: int) -> list[int]:
    """How many turns each episode of the constant has that digs."""
    (habit,) = [each for each in session.panel() if each.action == {"do": "dig"}]
    tasks = [{"seed": seed} for seed in seeds]
    return [len(episode.turns) for episode in session.fly_constant(habit, tasks, whole=False)]


def test_a_constant_is_cut_where_nothing_goes_on_unless_it_was_paid_somewhere(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of("tests.zoo.untold:Well")
    session.learn_still(lambda turns: not any(turn.reward for turn in turns))
    assert dug(session, 1, 3, 5) == [session.limit, STILL, STILL]
    assert dug(session, 2, 5, 7) == [15, session.limit, session.limit]
    assert dug(session, 9, 4, 7) == [session.limit, 15, session.limit]


def test_a_constant_is_not_cut_before_an_end_that_was_seen(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of("tests.zoo.untold:Well")
    session.learn_still(lambda turns: not any(turn.reward for turn in turns))
    session.plans("water", [({"seed": 2}, [{"do": "dig"}])])
    assert dug(session, 1, 3) == [session.limit, 15]
    assert dug(session, 1, 4) == [session.limit, 15]


@pytest.mark.parametrize(
    ("reset", "takes"),
    [
        (None, True),
        ({"parameters": None, "open": None}, True),
        ({"parameters": [], "open": False}, False),
        ({"parameters": [], "open": True}, True),
        ({"parameters": [{"name": "seed", **OPTIONAL}], "open": False}, True),
        ({"parameters": [{"name": "level", **OPTIONAL}], "open": False}, False),
    ],
)
def test_a_seed_is_taken_where_the_reset_offers_one_or_may(reset: Json | None, takes: bool) -> None:
    card = contract_report(reset=reset or {})
    assert seed_offered(card) is takes
