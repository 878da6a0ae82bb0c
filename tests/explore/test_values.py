"""Values of a field from everywhere, ranked; and actions that are made of them."""

from __future__ import annotations

import ast
import json

import numpy as np

from gonogo.explore.literals import Literals
from gonogo.explore.observed import Observed
from gonogo.explore.sources import Sources
from gonogo.explore.values import ValuePool
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
