"""Habits that name each thing that is seen, and beside it what nobody would say who tries."""

from __future__ import annotations

from gonogo.exploits.panel import Habit
from gonogo.explore.addressed import (
    addressed,
    addresses_in,
    addresses_or_keyed,
    decisions,
    next_name,
    seen_or_keyed,
    seen_under,
)
from gonogo.explore.observed import Observed
from gonogo.rollouts.space import Space
from gonogo.rollouts.types import View
from gonogo.wire import Action, Observation

REPORT = {
    "properties": {
        "kind": {"enum": ["measure", "report"], "default": "measure"},
        "sample": {"type": "string"},
        "years": {"anyOf": [{"type": "number"}, {"type": "null"}]},
        "error": {"anyOf": [{"type": "number", "minimum": 0}, {"type": "null"}]},
        "note": {"type": "string"},
    },
    "required": ["kind", "sample"],
}


def observed(shown: Observation) -> Observed:
    """What was seen once."""
    seen = Observed()
    seen.add(shown)
    return seen


def sent_by(habit: Habit, shown: Observation) -> list[Action | None]:
    """What a habit sends in three turns that show the same."""
    return [habit.act({0: View("", shown, {}, turn)})[0].action for turn in range(3)]


def test_each_thing_is_named_beside_a_number_beyond_all_sense() -> None:
    shown = {"open_samples": ["S1", "S2"], "year": 2026}
    habits = {habit.name: habit for habit in addressed(Space(REPORT), observed(shown))}
    name = "kind=report, sample: each seen name in turn, always error=1000000000000"
    sent = sent_by(habits[name], shown)
    for action, sample in zip(sent, ("S1", "S2", "S1"), strict=True):
        assert action == {"kind": "report", "sample": sample, "years": 1, "error": 10**12}
    assert not any("error=-" in known for known in habits)
    assert any("always note=" in known for known in habits)
    (gone,) = habits[name].act({0: View("", {"open_samples": []}, {}, 0)}).values()
    assert gone.action == {"kind": "report", "sample": "", "years": 1, "error": 10**12}


def test_one_choice_is_made_for_each_thing() -> None:
    shown = {"open_samples": ["S1", "S2"], "year": 2026}
    habits = {habit.name: habit for habit in decisions(Space(REPORT), observed(shown))}
    sent = sent_by(habits["kind=report, sample: each seen name in turn"], shown)
    assert sent == [{"kind": "report", "sample": each} for each in ("S1", "S2", "S1")]
    assert not decisions(Space(REPORT), observed({"weather": "fine"}))


def test_what_is_shown_no_longer_is_not_counted() -> None:
    (address,) = addresses_in(Space(REPORT), observed({"samples": ["S1"]}))
    shown = View("", {"samples": ["S2", "S3"]}, {}, 1)
    assert next_name(shown, address, {"kind": "measure", "sample": "S1"}) == "S2"
    assert next_name(shown, address, {"kind": "measure", "sample": "S2"}) == "S3"
    assert next_name(shown, address, None) == "S2"


def test_a_field_under_whose_name_nothing_was_seen_is_no_address() -> None:
    assert not addressed(Space(REPORT), observed({"weather": "fine", "samples": 3}))


def test_what_is_named_most_like_a_field_is_named_in_the_order_in_which_it_is_seen() -> None:
    shown = {"done_samples": [{"id": "S9"}], "sample": ["b", "a"], "text": "c"}
    assert seen_under(shown, "sample") == ["b", "a"]
    assert seen_under(shown, "weather") == []


def test_the_names_of_a_records_fields_are_no_names_of_things() -> None:
    mail: Observation = {"current_email": {"id": "m7", "sender": "a@b.c", "body": "hello"}}
    assert seen_under(mail, "email_id") == ["m7"]
    numbered: Observation = {"current_email": {"email_id": "m7", "sender": "a@b.c"}}
    assert seen_under(numbered, "email_id") == ["m7"]
    missing: Observation = {"columns": {"customer_id": 0, "age": 12}}
    assert seen_under(missing, "column") == ["customer_id", "age"]
    by_id: Observation = {"email": {"m7": "from a@b.c", "m8": "from b@c.d"}}
    assert seen_under(by_id, "email_id") == ["m7", "m8"]


def test_keys_of_a_map_are_names_where_nothing_has_the_name_of_a_field_that_is_needed() -> None:
    shown: Observation = {"bench": {"B-1": "waiting", "B-2": "waiting"}, "loads": [5, 10]}
    (address,) = addresses_or_keyed(Space(REPORT), observed(shown))
    assert address.name == "sample" and not addresses_in(Space(REPORT), observed(shown))
    assert seen_or_keyed(shown, "sample") == ["B-1", "B-2"] and not seen_under(shown, "sample")
    assert seen_or_keyed({**shown, "sample": "S1"}, "sample") == ["S1"]
    alone = {"properties": {"sample": {"type": "string"}}, "required": ["sample"]}
    assert not addresses_or_keyed(Space(alone), observed(shown))
    assert not addresses_or_keyed(Space(REPORT), observed({"loads": [5, 10]}))
