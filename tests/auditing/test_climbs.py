"""Following the pay, from one paid action to the next."""

from __future__ import annotations

from collections.abc import Callable

from gonogo.auditing.climbs import (
    Climb,
    asking,
    filled,
    ids_in,
    names_shown,
    summed,
    sums_of,
    sums_to,
    values_of,
)
from gonogo.auditing.session import AuditSession
from gonogo.rollouts.space import ActionField, Space

BUDGET = 3_000


def test_a_chain_of_pays_is_followed_by_what_is_shown(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of("tests.zoo.again:PostedOnce")
    (task,) = session.tasks({}, [3])
    chain = Climb(session).chain(task, BUDGET)
    assert chain is not None
    assert [turn.reward for turn in chain.turns] == [0.05, 0.05, 0.1, 0.1, 0.3]
    assert session.steps <= BUDGET


def test_where_a_level_is_paid_again_what_raises_it_is_sought(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of("tests.zoo.again:LevelEachStep")
    (task,) = session.tasks({}, [3])
    chain = Climb(session).chain(task, 500)
    assert chain is not None and chain.turns[-1].done
    assert [turn.reward for turn in chain.turns] == [0.4, 1.0]


def test_a_verb_is_filled_with_what_is_named_for_its_places() -> None:
    fields = {
        "do": {"enum": ["look", "stop"]},
        "job": {"type": "integer"},
        "service": {"type": "string"},
    }
    space = Space({"type": "object", "properties": fields, "required": ["do"]})
    shown = {"jobs": [{"job": 7, "service": "mail"}, {"job": 8, "service": "shop"}]}
    tried = list(filled([{"do": "stop"}], space.leaves(), shown, {"service": ["maps"]}))
    assert {"do": "stop", "job": 8, "service": "shop"} in tried[:3]
    assert {"do": "stop", "job": 7} in tried
    assert any(action.get("service") == "maps" for action in tried)


def test_where_no_first_step_is_paid_there_is_no_chain(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of("tests.zoo.again:PlainWords")
    (task,) = session.tasks({}, [3])
    assert Climb(session).chain(task, BUDGET) is None


def test_what_is_paid_to_idling_as_well_is_no_pay_to_follow(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of("tests.zoo.untold:Pole")
    (task,) = session.tasks({}, [3])
    assert Climb(session).chain(task, BUDGET) is None


def test_the_values_that_are_sent_are_names_and_numbers_and_no_long_texts() -> None:
    shown = {"who": "Ann", "told": "a" * 200, "reward": 0.5, "of": {"small": 3.0}}
    assert values_of(shown) == ["Ann", "small", 3.0]
    assert values_of({"who": "Ann", "metadata": {"secret": "x"}}) == ["Ann"]


def test_names_are_what_is_listed_and_the_keys_of_what_is_alike() -> None:
    shown = {
        "people": {"Amal": {"needs": "small"}, "Bo": {"needs": "large"}},
        "waiting": ["Cleo"],
        "room": {"size": 3, "told": "a sentence"},
    }
    assert list(ids_in(shown)) == ["Amal", "Bo", "Cleo"]


def test_a_verb_is_asked_for_each_pair_the_likeliest_first() -> None:
    one, other = (ActionField(("args", key), {}, {}, {}) for key in ("who", "what"))
    made = asking({"tool": "give"}, [one, other], [["a", "b"], [1, 2]])
    pairs = [(action["args"]["who"], action["args"]["what"]) for action in made]
    assert pairs == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]


def test_names_and_numbers_are_told_and_sentences_are_not() -> None:
    assert names_shown({"name": "Bo", "said": "no such person", "number": 4}) == ["Bo", 4]


def test_an_action_without_a_text_asks_for_nothing(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of("tests.zoo.loans:LampRows")
    leaves = session.space.leaves()
    assert not any(session.asks({"lit": [], "sure": 0.5}, leaf) for leaf in leaves)
    assert Climb(session).chain({"seed": 1}, 300) is None


def test_sums_are_tried_where_one_is_known_as_an_example() -> None:
    leaves = Space({"properties": {"line": {"type": "string"}}}).leaves()
    shown = {"grams": 49, "box": [40, 12, 3, 90], "reward": 3.0}
    (first, *_) = list(summed([{"line": ""}], leaves, shown, {"line": ["20+1"]}))
    assert first == {"line": "40+12-3"}
    assert not list(summed([{"line": ""}], leaves, shown, {"line": ["20", "weights"]}))


def test_sums_come_to_a_number_that_stands_beside_the_list() -> None:
    assert list(sums_of({"goal": 7, "more": 9, "parts": [3, 4, 2]})) == ["4+3", "4+3+2"]
    assert list(sums_to([3, 4, 2], 9)) == ["4+3+2"]
    assert list(sums_to([3, 4, 2], 1)) == ["3+2-4", "4-3", "3-2"]
    assert not list(sums_of({"goal": 7, "parts": ["3", "4", "x"]}))
