"""An action that is taken, where the one that does least is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gonogo.auditing.accepted import accepted_in, with_base
from gonogo.auditing.exploration import fly_habit
from gonogo.auditing.explored import TaskExploration
from gonogo.auditing.session import AuditSession
from gonogo.contract.sources import Sources
from gonogo.exploits.panel import Kind
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.space import Space


def explored(session: AuditSession, tasks: list[dict[str, Any]]) -> list[Episode]:
    """A few steps of exploration."""
    exploration = TaskExploration(session, Sources.of(session.target), tasks, 0)
    exploration.spend(200)
    return exploration.episodes


def test_where_what_does_least_is_refused_the_panel_changes_one_that_is_taken(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of("tests.zoo.refusals:Mail")
    tasks = session.tasks({}, range(2))
    assert session.space.idle() == {"do": "answer"}
    session.find_base(tasks, explored(session, tasks))
    idle = session.space.idle()
    assert idle["do"] in {"answer", "file"} and (idle.get("text") or idle.get("place"))
    habits = [habit for habit in session.panel() if habit.kind is Kind.IDLE]
    (row,) = [fly_habit(session, habit, tasks) for habit in habits]
    assert all(turn.invalid is None for e in row.episodes for turn in e.turns)


def test_what_is_taken_stays_as_it_is(session_of: Callable[[str], AuditSession]) -> None:
    session = session_of("tests.zoo.refusals:Paying")
    tasks = session.tasks({}, range(2))
    before = session.space.idle()
    session.find_base(tasks, explored(session, tasks))
    assert session.space.idle() == before


def test_the_plainest_ends_nothing_and_is_paid_least() -> None:
    def turn(name: str, **more: Any) -> Turn:
        return Turn("", {}, action={"do": name}, **more)

    turns = [
        turn("refused", invalid="no"),
        turn("paid", reward=0.5),
        turn("plain", reward=0.0),
        turn("plainer", reward=0.0),
        turn("end", reward=0.0, done=True),
    ]
    episode = Episode(0, {}, "t", "p", turns=turns)
    said = [action["do"] for action in accepted_in([episode])]
    assert said == ["plain", "plainer", "paid", "end"]


def test_a_base_stands_in_the_schema_only_where_it_has_its_fields() -> None:
    schema = {"properties": {"do": {"enum": ["a", "b"]}, "at": {"type": "string"}}}
    assert Space(with_base(schema, {"do": "b", "at": "x"})).idle() == {"do": "b", "at": "x"}
    assert with_base(schema, {"other": 1}) == schema
    assert with_base(schema, None) == schema
