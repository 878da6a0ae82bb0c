"""Lists of an action that take one size alone, which only a refusal tells."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.auditing.audits import fly_audit

from gonogo.auditing.list_sizes import open_lists, size_taken, sized
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.space import Space
from gonogo.wire import JsonSchema

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
    assert {f.id for f in record.findings if f.blocks} <= {"success_costs_nothing"}


def test_only_lists_whose_size_is_open_are_tried() -> None:
    assert [name for name, _ in open_lists(Space(ACTION), ACTION)] == ["power", "maybe"]


def test_a_known_size_is_one_in_each_form_of_the_field() -> None:
    fields = sized(ACTION, {"power": 3, "maybe": 2})["properties"]
    assert fields["power"] == {**NUMBERS, "minItems": 3, "maxItems": 3}
    assert fields["maybe"]["anyOf"] == [{**NUMBERS, "minItems": 2, "maxItems": 2}, {"type": "null"}]
    assert fields["text"] == FIELDS["text"]
    assert sized(ACTION, {}) == ACTION


@pytest.mark.parametrize(
    ("says", "size"),
    [
        (lambda n: "" if n == 4 else "give 4 powers", 4),
        (lambda n: "warm" if n == 4 else "cold", 4),
        (lambda n: "" if n in {4, 5} else "give 4 or 5 powers", None),
        (lambda n: "", None),
        (lambda n: "one" if n == 1 else "more" if n == 2 else "many", None),
    ],
)
def test_a_size_is_known_where_it_alone_is_answered_otherwise(says, size) -> None:  # type: ignore[no-untyped-def]
    def fly(plans):  # type: ignore[no-untyped-def]
        return [
            Episode(
                n,
                {},
                "t",
                "x",
                turns=[Turn("", {"rooms": 4}, action=actions[0], reward=0.0)],
                final_observation={"message": says(len(actions[0]["power"]))},
            )
            for n, (_, actions) in enumerate(plans)
        ]

    assert size_taken(fly, {}, "power", {"power": [0.0]}) == size
