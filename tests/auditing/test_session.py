"""An audit session asks for tasks in the way that the environment takes them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.records_made import contract_report

from gonogo import config
from gonogo.auditing.flight_log import FlightLog
from gonogo.auditing.progress import AuditProgress
from gonogo.auditing.session import STILL, AuditContext, AuditSession, seed_offered
from gonogo.env.environment import Env
from gonogo.rollouts.episodes import Episode
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


def test_flights_in_turn_are_one_flight_of_the_log(
    context_of: Callable[..., AuditContext], tmp_path: Path
) -> None:
    """An audit that goes on reads them all, in whatever process it is then, and asks the same of each."""
    context, task, step = context_of("tests.zoo.turns:PaidLate"), {"seed": 1}, {"number": 1}
    asked: list[tuple[int, float | None]] = []

    def is_paid(number: int, episode: Episode) -> bool:
        asked.append((number, episode.episode_return))
        return bool(episode.episode_return)

    with closing(AuditSession(context)) as session:
        flown = session.in_turn(task, [step], is_paid)
        spent = session.spent
    assert [number for number, _ in asked] == [0, 1]
    assert [bool(e.episode_return) for e in flown] == [False, True]
    again = replace(context, log=FlightLog(tmp_path / "log.jsonl"))
    with closing(AuditSession(again)) as session:
        known = session.in_turn(task, [step], is_paid)
        assert session.spent == spent
    assert [e.to_json() for e in known] == [e.to_json() for e in flown]
    assert len(asked) == 2


@pytest.mark.usefixtures("from_the_root")
def test_flights_in_turn_are_paid_once_by_a_function_outside(
    context_of: Callable[..., AuditContext], tmp_path: Path
) -> None:
    """A function that pays otherwise each time is asked once: what was looked for is what the log holds."""
    target, paid = "tests.zoo.turns:PaidLate", ["tests.zoo.paid_outside:counted"]
    run = config.load(None, {"target": target, "out": str(tmp_path), "audit.rewards": paid})
    asked: list[tuple[float | None, str]] = []

    def is_second(number: int, episode: Episode) -> bool:
        asked.append((episode.episode_return, episode.opened))
        return number == 1

    with closing(AuditSession(replace(context_of(target), run=run))) as session:
        flown = session.in_turn({"seed": 1}, [{"number": 1}], is_second)
    assert [worth for worth, _ in asked] == [1.0, 2.0]
    assert [(e.episode_return, e.opened) for e in flown] == asked
    assert all(e.opened for e in flown)


def test_a_session_knows_the_resets_before_a_plan_and_flies_it_after_them(
    session_of: Callable[[str], AuditSession],
) -> None:
    session, step = session_of("tests.zoo.turns:Keeping"), {"number": 1}
    hard, own = {"task": "hard"}, {"seed": 1}
    session.openings([own])
    session.plans("x", [(hard, [step])])
    session.look(own, [step, step])
    assert session.resets_before(own, [step]) == (own, hard)
    assert session.resets_before(own, [{"number": 2}]) == ()
    with closing(session.fresh()) as fresh:
        assert fresh.plans("x", [(own, [step])])[0].episode_return == 0
    with closing(session.fresh()) as fresh:
        (flown,) = fresh.plans("x", [(own, [step])], after=[hard])
    assert (flown.episode_return or 0) > 0
    with closing(session.fresh()) as fresh:
        assert fresh.look(own, [step], after=[hard]).rewards == (1.0,)


def test_what_is_sent_late_follows_the_end_at_once(
    session_of: Callable[[str], AuditSession],
) -> None:
    session, step = session_of("tests.zoo.turns:Keeping"), {"number": 1}
    seen = session.look({"seed": 1}, [step] * 5, late=True)
    assert seen.ended == 2
    assert len(seen.rewards) == 3
