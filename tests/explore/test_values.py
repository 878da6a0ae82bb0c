"""Values of a field from everywhere, ranked; and actions that are made of them."""

from __future__ import annotations

import ast
import json

import numpy as np

from gonogo.contract.literals import Literals
from gonogo.contract.sources import Sources
from gonogo.explore.observed import Observed
from gonogo.explore.values import ValuePool
from gonogo.rollouts.space import Space
from gonogo.rollouts.types import Schemas
from gonogo.wire import JsonSchema, JsonValue

ACTION: JsonSchema = {
    "type": "object",
    "properties": {
        "kind": {"enum": ["choose", "open"]},
        "room": {"type": "string", "description": "One of: red, blue", "examples": ["green"]},
        "count": {"type": "integer", "minimum": 1, "maximum": 9},
        "order_id": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "payload": {"type": "object"},
        "note": {"type": "string", "maxLength": 3},
    },
    "required": ["kind"],
}
SOURCE = """
if action.kind == "open":
    use(action.order_id)
if action.room == "attic": pass
x = action.payload["size"]
if action.payload.get("size") == 12: pass
"""


def pool(
    schema: JsonSchema = ACTION, source: str = SOURCE, **tools: tuple[JsonSchema, ...]
) -> ValuePool:
    schemas = Schemas(schema, {}, {}, **tools)
    return ValuePool(schemas, Sources(Literals([ast.parse(source)]), ("cellar",)))


def values(of: ValuePool, name: str) -> list[JsonValue]:
    verb = of.verbs[0]
    return of.values(name, verb.fields[name], verb.root)


def test_a_field_has_values_from_schema_description_source_and_readme_in_this_order() -> None:
    found = values(pool(), "room")
    assert found[:4] == ["green", "red", "blue", "attic"]
    assert found.index("cellar") > 3


def test_all_actions_of_a_verb_are_known_where_its_fields_are_closed_and_few() -> None:
    fields: JsonSchema = {
        "type": "object",
        "properties": {
            "guess": {"type": "integer", "minimum": 0, "maximum": 9},
            "sure": {"type": "boolean"},
        },
        "required": ["guess", "sure"],
    }
    known = pool(fields, "")
    actions = known.all_of(known.verbs[0], 20)
    assert len(actions) == 20
    assert {"guess": 7, "sure": True} in actions
    assert known.all_of(known.verbs[0], 19) == []
    assert pool().all_of(pool().verbs[1], 999) == []  # an order's id may be any text


def test_numbers_keep_to_their_bounds() -> None:
    found = values(pool(), "count")
    assert {1, 9, 5} <= set(found)
    assert all(isinstance(value, int) and 1 <= value <= 9 for value in found)


def test_texts_keep_to_their_limits() -> None:
    assert all(len(str(value)) <= 3 for value in values(pool(), "note"))


def test_what_was_shown_and_what_a_refusal_lists_come_forward() -> None:
    known = pool()
    known.learn({"orders": [{"id": "ORD-7"}]})
    assert values(known, "order_id")[0] == "ORD-7"
    known.refused("unknown room: must be one of ['loft']")
    assert values(known, "room").index("loft") <= 1


def test_what_opened_something_up_comes_first() -> None:
    known = pool()
    known.opened({"kind": "choose", "room": "attic"})
    known.opened({"kind": "choose", "room": "attic"})
    assert values(known, "room")[0] == "attic"


def test_a_verb_is_a_choice_with_the_fields_that_the_source_uses_beside_it() -> None:
    choose, opens = pool().verbs
    assert (choose.name, opens.name) == ("choose", "open")
    assert opens.used == {"order_id"}
    assert opens.action({"order_id": "x"})["kind"] == "open"


def test_an_open_object_has_the_keys_that_the_source_asks_it_for() -> None:
    known, rng = pool(), np.random.default_rng(0)
    drawn = [known.draw(rng, known.verbs[0]).get("payload", {}) for _ in range(60)]
    assert {12} <= {each.get("size") for each in drawn}


def test_a_text_that_is_read_as_json_is_drawn_as_json() -> None:
    schema: JsonSchema = {
        "type": "object",
        "properties": {"body": {"type": "string"}},
        "required": ["body"],
    }
    known = pool(schema, "args = json.loads(action.body)\nif args['room'] == 'attic': pass")
    rng = np.random.default_rng(0)
    drawn = [known.draw(rng, known.verbs[0])["body"] for _ in range(40)]
    assert any(text.startswith("{") and json.loads(text).get("room") == "attic" for text in drawn)


def test_the_episodes_own_values_are_drawn() -> None:
    known, rng, seen = pool(), np.random.default_rng(0), Observed()
    seen.add({"orders": [{"id": "fresh-1"}]})
    drawn = [known.draw(rng, known.verbs[1], seen).get("order_id") for _ in range(40)]
    assert "fresh-1" in drawn


def test_tools_are_verbs_and_their_arguments_fields() -> None:
    schema: JsonSchema = {
        "type": "object",
        "properties": {"tool_name": {"type": "string"}, "arguments": {"type": "object"}},
        "required": ["tool_name", "arguments"],
    }
    tool = {
        "name": "look",
        "input_schema": {"properties": {"room": {"type": "string"}}, "required": ["room"]},
    }
    known = pool(schema, tools=(tool,))
    (verb,) = known.verbs
    assert verb.action({"room": "attic"}) == {
        "type": "call_tool",
        "tool_name": "look",
        "arguments": {"room": "attic"},
    }
    assert values(known, "room")[0] == "attic"


def test_a_text_is_the_verb_where_it_is_named_like_one() -> None:
    schema: JsonSchema = {
        "type": "object",
        "properties": {"action_type": {"type": "string"}, "room": {"type": "string"}},
        "required": ["action_type"],
    }
    known = pool(
        schema, "if action.action_type == 'go': pass\nelif action.action_type == 'stop': pass"
    )
    assert [verb.name for verb in known.verbs] == ["go", "stop"]


def test_the_best_actions_differ_and_fill_in_what_is_used() -> None:
    known = pool()
    best = known.best(known.verbs[1], 12)
    assert len({json.dumps(action, sort_keys=True) for action in best}) == len(best) == 12
    assert "order_id" in best[1]


def test_actions_that_somebody_wrote_are_actions_only_where_they_fit() -> None:
    sources = Sources(
        Literals([ast.parse("")]),
        (),
        ({"room": "red"}, {"nothing": 1}, {"kind": "open", "room": "x"}),
    )
    given = ValuePool(Schemas(ACTION, {}, {}), sources).given
    assert {"kind": "open", "room": "x"}.items() <= given[1].items()
    assert len(given) == 2


OPEN: JsonSchema = {
    "type": "object",
    "properties": {"action_type": {"type": "string"}, "city": {"type": "string"}},
    "required": ["action_type"],
}


def test_a_verb_is_learned_from_what_refuses_another() -> None:
    of = pool(OPEN, "")
    assert [verb.name for verb in of.verbs] == [""]
    of.refused("Unknown action_type 'test'. Valid actions: book, cancel", {"action_type": "test"})
    assert [verb.name for verb in of.verbs] == ["", "book", "cancel"]
    assert of.verbs[1].action({"city": "Rome"}) == {"action_type": "book", "city": "Rome"}
    named = of.enriched(OPEN)["properties"]["action_type"]
    assert named["anyOf"] == [{"type": "string"}, {"type": "string", "enum": ["book", "cancel"]}]


def test_a_schema_whose_verbs_are_known_stays_as_it_is() -> None:
    assert pool().enriched(ACTION) == ACTION


def test_values_for_a_panel_do_not_hang_on_an_episode() -> None:
    of = pool(source=f"{SOURCE}\nfound = [w for w in ('dry', 'old', 'dim') if w in action.room]")
    of.learn({"room": "this seed's"})
    leaves = Space(ACTION).leaves()
    named = of.for_leaves(leaves)
    assert named["room"][:2] == ["green", "red"]
    assert named["room"][-1] == ["dry", "old", "dim"]
    assert "this seed's" not in named["room"]
    assert "kind" not in named


def test_a_field_that_nothing_requires_says_the_verb_where_the_source_compares_it() -> None:
    schema: JsonSchema = {"type": "object", "properties": {"command": {}, "wheel": {}}}
    known = pool(schema, "c = action['command']\nif c == 'set' or c == 'pull': pass")
    assert [verb.base["command"] for verb in known.verbs] == ["set", "pull"]


def test_a_text_that_the_source_takes_apart_is_made_of_its_words() -> None:
    schema: JsonSchema = {
        "type": "object",
        "properties": {"action": {"type": "string"}},
        "required": ["action"],
    }
    source = (
        "verb, _, thing = action.action.partition(' ')\nif verb == 'take' and thing == 'key': pass"
    )
    known, rng, seen = pool(schema, source), np.random.default_rng(0), Observed()
    take = known.verbs[0]
    assert {"action": "take key"} in known.best(take, 9)
    seen.add({"text": "Exits: north, up."})
    drawn = {known.draw(rng, take, seen)["action"] for _ in range(60)}
    assert {"take", "take key", "take north"} <= drawn
    whole = pool(schema, "if action.action == 'take' or action.action == 'key': pass")
    assert {whole.draw(rng, whole.verbs[0], seen)["action"] for _ in range(60)} == {"take"}


def test_every_action_is_known_only_where_no_field_may_be_left_out() -> None:
    fields: JsonSchema = {
        "type": "object",
        "properties": {"kind": {"enum": ["open"]}, "hard": {"type": "boolean"}},
        "required": ["kind", "hard"],
    }
    code = "if action.kind == 'open':\n    use(action.hard)\n"
    assert len(pool(fields, code).every(10)) == 2
    some = pool({**fields, "required": ["kind"]}, code)
    assert some.verbs[0].used == {"hard"} and some.every(10) == []


def test_the_keys_of_a_field_that_takes_any_object_are_those_that_a_verb_asks_for() -> None:
    schema: JsonSchema = {
        "type": "object",
        "properties": {"tool": {"enum": ["give", "look"]}, "args": {"type": "object"}},
        "required": ["tool"],
    }
    source = """
def step(action):
    if action.tool == "give":
        return give(action.args)
    why = action.args.get("why")

def give(args):
    return args["who"], args["what"]
"""
    known, rng = pool(schema, source), np.random.default_rng(0)
    assert set(known.asked("give", "args")) == {"who", "what", "why"}
    assert known.asked("look", "args") == ["why"]
    look = next(verb for verb in known.verbs if verb.name == "look")
    drawn = [known.draw(rng, look).get("args") for _ in range(30)]
    assert {key for held in drawn if isinstance(held, dict) for key in held} == {"why"}
    opened = known.opened_up(schema)["properties"]["args"]["properties"]
    assert set(opened) == {"who", "what", "why"}
