"""Every pair of values of a verb, and all that is done to each thing."""

from __future__ import annotations

import ast

import numpy as np

from gonogo.contract.literals import Literals
from gonogo.contract.sources import Sources
from gonogo.explore.products import MOST_PAIRS, about_each, grouped, products, spoken
from gonogo.explore.values import ValuePool
from gonogo.rollouts.types import Schemas
from gonogo.wire import JsonSchema, JsonValue, Observation

ACTION: JsonSchema = {
    "type": "object",
    "properties": {
        "do": {"enum": ["count", "report"]},
        "bin": {"type": "string"},
        "off": {"type": "integer", "minimum": -2, "maximum": 2},
    },
    "required": ["do", "bin"],
}
SHOWN: Observation = {
    "bins": [{"bin": "A-01", "book": 40}, {"bin": "A-02", "book": 41}, {"bin": "A-03", "book": 9}],
    "message": "Aisle A is yours. Ann Lee waits.",
}


def pool(schema: JsonSchema = ACTION) -> ValuePool:
    found = ValuePool(Schemas(schema, {}, {}), Sources(Literals([ast.parse("")]), ()))
    found.learn(SHOWN)
    return found


def test_each_pair_is_sent_once_in_an_order_that_is_drawn() -> None:
    known = pool()
    count = known.verbs[0]
    sent = products(known, count, SHOWN, np.random.default_rng(0))
    pairs = [(action["bin"], action.get("off")) for action in sent]
    named = {"A-01", "A-02", "A-03"}
    assert len(set(pairs)) == len(pairs)
    assert {(b, n) for b, n in pairs if b in named} == {(b, n) for b in named for n in range(-2, 3)}
    assert pairs == [
        (a["bin"], a.get("off")) for a in products(known, count, SHOWN, np.random.default_rng(0))
    ]
    assert pairs != sorted(pairs, key=str)


def test_more_pairs_than_are_sent_are_a_sample() -> None:
    shown: Observation = {"bins": [{"bin": f"B{n}"} for n in range(24)]}
    schema: JsonSchema = {
        **ACTION,
        "properties": {
            **ACTION["properties"],
            "off": {"type": "integer"},
            "on": {"type": "integer"},
        },
    }
    known = pool(schema)
    assert len(products(known, known.verbs[0], shown, np.random.default_rng(1))) == MOST_PAIRS


def test_a_field_that_nothing_is_named_like_takes_the_words_of_the_texts() -> None:
    schema: JsonSchema = {
        "type": "object",
        "properties": {"answer": {"type": "string"}},
        "required": ["answer"],
    }
    known = pool(schema)
    sent = products(known, known.verbs[0], SHOWN, np.random.default_rng(0))
    assert {"Ann Lee", "Aisle", "waits"} <= {action["answer"] for action in sent}


def test_all_that_is_done_to_a_thing_comes_together_and_in_two_orders() -> None:
    plans = about_each(pool(), SHOWN, np.random.default_rng(0))
    about = [{action["bin"] for action in plan} for plan in plans]
    assert about == [{"A-03"}, {"A-03"}, {"A-02"}, {"A-02"}, {"A-01"}, {"A-01"}]
    for plan in plans:
        assert {action["do"] for action in plan} == {"count", "report"}
    assert all(plan[0]["do"] == "count" for plan in plans[::2])


def test_words_stand_together_in_lists_and_mappings_and_names_in_texts() -> None:
    shown: JsonValue = {
        "lamps": ["L1", "L2", "L3"],
        "sheet": {"buzzes": "fuse", "glows": "relay", "dies": "driver"},
        "log": {"two words": "no", "b": "c"},
    }
    groups = [["L1", "L2", "L3"], ["buzzes", "glows", "dies"], ["fuse", "relay", "driver"]]
    assert list(filter(None, grouped(shown))) == groups
    assert list(spoken({"text": "Ann Lee paid 40 EUR on 2024-05-01."})) == [
        "Ann Lee", "paid", "40", "EUR", "on", "2024-05-01",
    ]  # fmt: skip
