"""What is done with one thing, with its name and a value left open."""

from __future__ import annotations

from collections.abc import Callable

from gonogo.auditing.checks.deeds import (
    DeedStep,
    grouped,
    has_room,
    joined,
    paid_deeds,
    places_in,
    plain_deeds,
    told_of,
)
from gonogo.auditing.session import AuditSession
from gonogo.wire import Action

ORDERS = {"orders": [{"id": "a", "hub": "north"}, {"id": "b", "hub": "south"}]}


def test_a_step_is_made_for_any_thing_and_value() -> None:
    action: Action = {"do": "send", "to": {"id": "", "hub": ""}}
    step = DeedStep(action, (("to", "id"),), (("to", "hub"),))
    assert step.of("a", "north") == {"do": "send", "to": {"id": "a", "hub": "north"}}
    assert dict(places_in(action)) == {("do",): "send", ("to", "id"): "", ("to", "hub"): ""}


def test_a_value_is_put_only_where_there_is_an_object_for_it() -> None:
    action: Action = {"do": "send", "to": {"id": ""}, "with": None}
    paths = [("do",), ("to", "hub"), ("with", "word"), ("by", "word")]
    assert [has_room(action, path) for path in paths] == [True, True, False, False]


def test_a_thing_is_joined_with_the_one_of_the_same_text_before_the_others_of_its_table() -> None:
    seen = {
        "left": [{"id": "a", "mail": "ann@x.example"}, {"id": "b", "mail": "bob@x.example"}],
        "right": [{"id": "c", "mail": "bob@x.example"}, {"id": "d", "mail": "ann@x.example"}],
    }
    assert list(joined("a", seen)) == ["d", "c", "d"]
    assert list(joined("a", {**seen, "right": [{"id": "c", "mail": "eve@x.example"}]})) == []
    assert list(joined("a", ORDERS)) == []


def test_things_are_grouped_by_what_names_them_and_tell_their_values() -> None:
    assert grouped(ORDERS)["id in observation.orders"] == ("a", "b")
    assert list(told_of("b", ORDERS)) == ["b", "south"]
    assert list(told_of("x", {"held": {"x": {"size": 3}, "y": {"size": 4}}})) == [3]


def test_what_was_paid_is_done_again_with_its_name_and_value_open(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of("tests.zoo.desk:ShareOfAll")
    (opening,) = session.openings([{"seed": 1}])
    assert opening is not None
    name, said = next(iter(opening.observation["tickets"].items()))
    plan: list[Action] = [
        {"do": "answer", "ticket": name, "topic": said.split()[-1]},
        {"do": "finish"},
    ]
    flown = session.plans("by hand", [({"seed": 1}, plan)], whole=True)
    deeds = list(paid_deeds(session, flown))
    (deed,) = [each for each in deeds if each.value and each.value.name == "topic"]
    assert deed.steps[0].of("T1", "refund") == {"do": "answer", "ticket": "T1", "topic": "refund"}
    ways = deed.ways(session, name, opening.observation)
    assert ways[0] == [plan[0]]
    assert {way[0]["topic"] for way in ways} >= {"billing", "network", "refund"}
    plain = [each.called for each in plain_deeds(session, opening.observation)]
    assert "do=answer, ticket, topic" in plain
