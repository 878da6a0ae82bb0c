"""The example that a model is given is the simplest action that the environment's class takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gonogo.rollouts.examples import accepted, simple_actions
from gonogo.rollouts.types import Schemas

Json = dict[str, Any]

ACTION: Json = {
    "type": "object",
    "properties": {
        "move": {"enum": ["stay", "left", "right"]},
        "steps": {"type": "integer", "minimum": 0, "maximum": 9},
    },
    "required": ["move", "steps"],
    "additionalProperties": False,
}
SCHEMAS = Schemas(ACTION, {"type": "object"}, {"type": "object"})


def test_simple_actions_fit_the_schema_each_once_and_the_simplest_first() -> None:
    actions = simple_actions(SCHEMAS)
    assert actions[0] == SCHEMAS.codec().example()
    assert len({tuple(sorted(action.items())) for action in actions}) == len(actions)
    assert {action["move"] for action in actions} == {"stay", "left", "right"}
    assert all(0 <= action["steps"] <= 9 for action in actions)


def test_where_the_class_takes_the_schemas_example_there_is_no_other() -> None:
    assert accepted(SCHEMAS, lambda actions: [True for _ in actions]) is None


def test_a_validator_across_fields_is_met() -> None:
    def fits(actions: Sequence[Json]) -> list[bool]:
        return [action["move"] == "right" and action["steps"] > 0 for action in actions]

    found = accepted(SCHEMAS, fits)
    assert found is not None and fits([found]) == [True]


def test_where_nothing_fits_there_is_none() -> None:
    assert accepted(SCHEMAS, lambda actions: [False for _ in actions]) is None
