"""What only refusals tell: how many items a list has, and an action where the one that does least is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.auditing.audits import fly_audit

from gonogo.auditing.accepted import accepted_in, open_lists, size_taken, sized, with_base
from gonogo.auditing.exploration import fly_habit
from gonogo.auditing.explored import TaskExploration
from gonogo.auditing.session import AuditSession
from gonogo.contract.sources import Sources
from gonogo.exploits.panel import Kind
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.space import Space
from gonogo.rollouts.types import Schemas
from gonogo.wire import JsonSchema, TaskOptions

pytestmark = pytest.mark.usefixtures("from_the_root")

NUMBERS: JsonSchema = {"type": "array", "items": {"type": "number"}}
FIELDS: dict[str, JsonSchema] = {
    "power": NUMBERS,
    "bounded": {**NUMBERS, "maxItems": 3},
    "maybe": {"anyOf": [NUMBERS, {"type": "null"}]},
    "text": {"type": "string"},
}
ACTION: JsonSchema = {"type": "object", "properties": FIELDS, "required": ["power"]}


@pytest.mark.parametrize(("case", "blocked"), [("Refunded", True), ("Metered", False)])
def test_policies_that_do_not_try_send_as_many_as_are_taken(
    case: str, blocked: bool, tmp_path: Path
) -> None:
    given = {"target": f"tests.zoo.heating:{case}", "audit.seeds": 8, "audit.budget": 6_000}
    _, record = fly_audit(tmp_path, given, {})
    assert any(finding.blocks for finding in record.findings) is blocked
    named = {"success_costs_nothing", "unbounded_action_pays"}
    assert {f.id for f in record.findings if f.blocks} <= named


def test_only_lists_whose_size_is_open_are_tried() -> None:
    assert [name for name, _ in open_lists(Space(ACTION))] == ["power", "maybe"]


def test_a_known_size_is_one_in_each_form_of_the_field() -> None:
    fields = sized(Schemas(ACTION, {}, {}), {"power": 3, "maybe": 2}).action["properties"]
    assert fields["power"] == {**NUMBERS, "minItems": 3, "maxItems": 3}
    assert fields["maybe"]["anyOf"] == [{**NUMBERS, "minItems": 2, "maxItems": 2}, {"type": "null"}]
    assert fields["text"] == FIELDS["text"]
    referred: JsonSchema = {"$ref": "#/$defs/Heat", "$defs": {"Heat": ACTION}}
    assert (
        sized(Schemas(referred, {}, {}), {"power": 3}).action["properties"]["power"]["minItems"]
        == 3
    )
    assert [name for name, _ in open_lists(Space(referred))] == ["power", "maybe"]
    assert sized(Schemas(ACTION, {}, {}), {}).action == ACTION


@pytest.mark.parametrize(
    ("says", "size"),
    [
        (lambda n: "" if n == 4 else "give 4 powers", 4),
        (lambda n: "" if n == 4 else "too few" if n < 4 else "too many", 4),
        (lambda n: "warm" if n == 4 else "refused", 4),
        (lambda n: "warm" if n == 4 else "too few" if n < 4 else "too many", 4),
        (lambda n: "warm" if n in {4, 5} else "refused", None),
        (lambda n: "" if n in {4, 5} else "give 4 or 5 powers", None),
        (lambda n: "" if n >= 13 else "give at least 13", None),
        (lambda n: "1 room heated" if n == 1 else f"{n} rooms heated", None),
        (lambda n: "", None),
    ],
)
def test_a_size_is_known_where_it_alone_is_taken(says, size) -> None:  # type: ignore[no-untyped-def]
    def fly(plans):  # type: ignore[no-untyped-def]
        flown = []
        for number, (_, actions) in enumerate(plans):
            said = says(len(actions[0]["power"]))
            invalid = said if said == "refused" else None
            turn = Turn("", {"rooms": 4}, action=actions[0], reward=0.0, invalid=invalid)
            flown.append(Episode(number, {}, "t", "x", turns=[turn], final_observation={"m": said}))
        return flown

    assert size_taken(fly, {}, "power", {"power": [0.0]}) == size


def explored(session: AuditSession, tasks: Sequence[TaskOptions]) -> list[Episode]:
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
