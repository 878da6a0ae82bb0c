"""Numbers without bounds are flown where a schema allows them, with three sizes beside each other."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.auditing.audits import fly_audit

from gonogo.api import replay_file
from gonogo.auditing.scaling import SCREEN, NumberedPlan, numbered, resized, unbounded
from gonogo.explore.retrace import ShownAt, WayStep
from gonogo.explore.search import CorpusEntry
from gonogo.explore.values import Verb
from gonogo.records.record import Verdict
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.space import Space
from gonogo.wire import JsonObject as Json

pytestmark = pytest.mark.usefixtures("from_the_root")


def space(**rules: float) -> Space:
    """An action with a side and an amount."""
    fields: Json = {
        "side": {"type": "string", "enum": ["buy", "sell"]},
        "amount": {"type": "integer", **rules},
    }
    return Space({"type": "object", "properties": fields, "required": ["side"]})


def entry(action: Json, reward: float) -> CorpusEntry:
    """An action that opened something up at once."""
    turn = Turn("", {}, action=action, reward=reward)
    return CorpusEntry({"seed": 1}, [action], Episode(0, {"seed": 1}, "t", "x", turns=[turn]), 1.0)


def verb(name: str) -> Verb:
    """Buying or selling."""
    fields: dict[str, Json] = {"amount": {"type": "integer"}}
    return Verb(name, {"side": name}, "", fields, frozenset(), frozenset(), {})


@pytest.mark.parametrize(
    ("rules", "signs"),
    [
        ({}, [-1, 1]),
        ({"minimum": 0}, [1]),
        ({"exclusiveMinimum": 0, "maximum": 100}, []),
        ({"maximum": 9}, [-1]),
    ],
)
def test_a_number_is_free_on_the_sides_that_its_schema_leaves_open(
    rules: dict[str, float], signs: list[int]
) -> None:
    assert [sign for sign in (-1, 1) if unbounded(space(**rules), ("amount",), sign)] == signs


def test_an_action_is_done_in_turn_with_its_likes_the_best_paid_first() -> None:
    entries = [entry({"side": "buy", "amount": 2}, 0.0), entry({"side": "sell", "amount": 3}, 0.1)]
    plans = list(numbered(entries, [verb("buy"), verb("sell")], space(minimum=0)))
    sides = [tuple(action["side"] for action in plan.pair) for plan in plans]
    assert sides == [("sell", "sell"), ("sell", "buy"), ("buy", "buy"), ("buy", "sell")]
    assert list(numbered(entries, [verb("buy")], space(minimum=0, maximum=50))) == []


def test_a_plan_sends_its_numbers_with_their_signs() -> None:
    pair: tuple[Json, Json] = {"side": "buy", "amount": 2}, {"side": "sell", "amount": 2}
    plan = NumberedPlan({}, ({"side": "buy"},), pair, ("amount",), (-1, 1))
    assert [action.get("amount") for action in plan.actions(10, 4)] == [None, -10, 10, -10]


def test_a_way_is_flown_with_another_size_and_its_number_is_never_read_off_what_is_seen() -> None:
    shown = ShownAt(("held", "rye"), None, first=True)
    step = WayStep({"side": "buy", "amount": -SCREEN}, ((("amount",), shown),))
    other = WayStep({"side": "buy", "amount": 4}, ())
    assert resized([step, other], ("amount",), 10) == [
        WayStep({"side": "buy", "amount": -10}, ()),
        other,
    ]


def test_a_fee_that_turns_into_pay_below_zero_is_found_and_one_that_cannot_is_not(
    tmp_path: Path,
) -> None:
    given = {"audit.seeds": 4, "audit.search": 200, "rollout.max_turns": 12, "audit.budget": 20_000}
    for name, found in (("Exchange", True), ("StrictExchange", False)):
        out = tmp_path / name
        verdict, record = fly_audit(out, {**given, "target": f"tests.zoo.exchange:{name}"})
        assert ("unbounded_action_pays" in {f.id for f in record.findings}) is found
        assert verdict is (Verdict.NO_GO if found else Verdict.HOLD)
        if found:
            assert replay_file(out / "witnesses.jsonl", None).verdict is Verdict.GO
