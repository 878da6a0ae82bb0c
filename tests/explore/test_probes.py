"""Actions that are sent to see what they are compared with."""

from __future__ import annotations

from tests.explore.comparing import NUMBER, TEXT, WHOLE, fields

from gonogo.contract.sources import Sources
from gonogo.explore.probes import FIRST_NUMBER, Probe, Probes, as_whole, recoloured, wholes
from gonogo.explore.retrace import scalars
from gonogo.rollouts.types import Schemas
from gonogo.wire import JsonSchema, JsonValue, Observation


def probes(
    schema: JsonSchema, shown: Observation | None = None, sources: Sources | None = None
) -> list[Probe]:
    made = Probes(Schemas(schema, {}, {}), sources or Sources())
    made.learn(shown or {})
    return made.after(shown or {})


def first(schema: JsonSchema, way: str) -> JsonValue:
    return next(each.actions[0] for each in probes(schema) if each.name.endswith(f" {way}"))


def test_every_verb_comes_first_with_all_fields_filled_with_values_of_their_own() -> None:
    schema = fields(do={"enum": ["read", "write"]}, page=TEXT, line=WHOLE, size=NUMBER)
    filled = [each for each in probes(schema) if each.name.endswith("filled")]
    assert [each.actions[0]["do"] for each in filled] == ["read", "write"]
    assert all(each.fixed == {"do"} for each in filled)
    assert min(each.prior for each in filled) > max(
        each.prior for each in probes(schema) if each not in filled
    )
    values = [value for _, value in scalars(filled[0].actions[0])][1:]
    assert len(set(map(str, values))) == 3
    assert all(str(value).startswith("zq") or value >= FIRST_NUMBER for value in values)


def test_values_keep_within_bounds() -> None:
    low: JsonSchema = {"type": "integer", "minimum": 1, "maximum": 6}
    short: JsonSchema = {"type": "string", "maxLength": 2}
    action = first(fields(dice=low, letter=short), "filled")
    assert 1 <= action["dice"] <= 6
    assert len(action["letter"]) <= 2


def test_numbers_are_nothing_and_very_many_within_their_bounds() -> None:
    rating: JsonSchema = {"type": "integer", "minimum": 1, "maximum": 5}
    sized = [p.actions[0] for p in probes(fields(error=NUMBER, rating=rating)) if "size" in p.name]
    assert sized == [{"error": 0, "rating": 1}, {"error": 1_000_000, "rating": 5}]
    assert not [each for each in probes(fields(answer=TEXT)) if "size" in each.name]


def test_lists_have_one_item_and_several_and_objects_are_filled() -> None:
    item = fields(id=TEXT, count=WHOLE)
    schema = fields(orders={"type": "array", "items": item})
    assert len(first(schema, "filled")["orders"]) == 1
    several = first(schema, "several")["orders"]
    assert len(several) == 3
    assert len({each["id"] for each in several}) == len({each["count"] for each in several}) == 3
    assert first(schema, "empty") == {"orders": []}


def test_a_map_has_keys_of_its_own() -> None:
    schema = fields(price={"type": "object", "additionalProperties": WHOLE})
    ((key, value),) = first(schema, "filled")["price"].items()
    assert key.startswith("zq")
    assert value >= FIRST_NUMBER


def test_choices_are_taken_in_turn_and_crossed() -> None:
    schema = fields(
        do={"enum": ["judge"]}, verdict={"enum": ["a", "b", "c"]}, sure={"type": "boolean"}
    )
    sent = {(each.actions[0]["verdict"], each.actions[0]["sure"]) for each in probes(schema)}
    assert {(verdict, sure) for verdict in "abc" for sure in (True, False)} <= sent


def test_a_text_has_words_and_stands_between_tags_that_somebody_names() -> None:
    told = Sources(sentences=("The answer stands between <answer> and </answer>.",))
    sent = [each.actions[0]["say"] for each in probes(fields(say=TEXT), sources=told)]
    assert any(len(text.split()) == 5 for text in sent)
    assert any(text.startswith("<answer>zq") and text.endswith("</answer>") for text in sent)


def test_values_that_were_shown_are_sent_in_turn() -> None:
    shown = {"lamps": [{"lamp": "L1"}, {"lamp": "L2"}]}
    each = [p for p in probes(fields(lamp=TEXT, part=TEXT), shown) if p.name.endswith("each")]
    swept = next(p.actions for p in each if {a["lamp"] for a in p.actions} == {"L1", "L2"})
    assert swept[0]["part"] != swept[1]["part"]


def test_what_is_shown_as_a_whole_is_sent_as_a_whole() -> None:
    shown = {"loads": [1.5, 2.5], "letter": "a long letter " * 5, "lines": ["one", "two"]}
    schema = fields(
        plan={"type": "array", "items": NUMBER}, text={"type": "string", "maxLength": 20}
    )
    sent = [each.actions[0] for each in probes(schema, shown)]
    assert any(action["plan"] == [1.5, 2.5] for action in sent if "plan" in action)
    assert any(action["text"] == shown["letter"][:20] for action in sent if "text" in action)
    assert "one\ntwo" in list(wholes(shown))
    assert list(as_whole(["a"], {"type": "array", "items": {"type": "number"}})) == []


def test_a_verb_that_is_any_text_is_filled_too() -> None:
    schema = fields(command=TEXT)
    sent = [str(each.actions[0].get("command")) for each in probes(schema)]
    assert any(text.startswith("zq") for text in sent)


def test_the_same_action_again_has_other_values_of_its_own() -> None:
    action = {"lamp": "L1", "part": "zqbx", "count": FIRST_NUMBER, "sure": True, "small": 3}
    again = recoloured(action, 2, ("lamp",))
    assert {name for name, value in again.items() if value != action[name]} == {"part", "count"}
    assert recoloured(action, 1, ("lamp",)) != again


def test_what_was_shown_before_is_not_new() -> None:
    made = Probes(Schemas(fields(a=TEXT), {}, {}), Sources())
    assert made.learn({"a": 1})
    assert not made.learn({"a": 1})
