"""Plans that are made of what a success does."""

from __future__ import annotations

from gonogo.auditing.plans import (
    broken,
    endings,
    foreign,
    later_cycles,
    like,
    milestones,
    paid_cycles,
    paid_places,
    ranked,
    scaled,
    verb_of,
)
from gonogo.rollouts.episodes import Turn
from gonogo.rollouts.space import Space
from gonogo.wire import JsonObject as Json

SCHEMA: Json = {
    "properties": {
        "op": {"enum": ["wait", "take", "put"]},
        "box": {"type": "integer", "minimum": 0, "maximum": 9},
    },
    "required": ["op", "box"],
}
SPACE = Space(SCHEMA)
IDLE = {"op": "wait", "box": 0}
LOOK, TAKE, LAST = {"op": "wait", "box": 7}, {"op": "take", "box": 7}, {"op": "put", "box": 7}
GUIDE = [
    Turn("", {}, action=LOOK, reward=0.0),
    Turn("", {}, action=TAKE, reward=0.5),
    Turn("", {}, action=LAST, reward=0.5, done=True),
]


def test_the_way_is_left_at_a_milestone() -> None:
    plans = {name: plan(GUIDE) for name, plan in milestones(IDLE)}
    assert plans["50% of the way, then idle"] == [LOOK, IDLE]
    assert plans["100% of the way, then idle"] == [LOOK, TAKE, IDLE]
    assert plans["half of the last action, then idle"] == [
        LOOK,
        TAKE,
        {"op": "put", "box": 3},
        IDLE,
    ]
    assert plans["all but the last box, then idle"] == [LOOK, TAKE, {"op": "put", "box": 0}, IDLE]


def test_the_way_is_left_to_do_one_thing_for_ever() -> None:
    plans = {name: plan(GUIDE) for name, plan in endings([LAST])}
    assert plans[f"100% of the way, then {LAST}"] == [LOOK, TAKE, LAST]


def test_what_was_paid_first_is_repeated_with_what_may_undo_it() -> None:
    plans = {name: plan(GUIDE) for name, plan in paid_cycles([IDLE], SPACE.leaves())}
    assert plans["the first paid action in turn"][:4] == [LOOK, TAKE, TAKE, TAKE]
    undo = plans["the first paid action and op=put of it in turn"]
    assert undo[:6] == [LOOK, TAKE, LAST, TAKE, LAST, TAKE]
    longer = plans["the 2 actions up to the first pay and op=put of it in turn"]
    assert longer[:8] == [LOOK, TAKE, LAST, LOOK, TAKE, LAST, LOOK, TAKE]
    back = {"op": "take", "box": -7}
    reverse = plans["the first paid action and its reverse in turn"]
    assert reverse[:6] == [LOOK, TAKE, back, TAKE, back, TAKE]
    assert plans["the 3 actions up to the first pay in turn"] == [], "there are only two"


def test_where_the_first_pay_ends_the_episode_there_is_nothing_to_repeat() -> None:
    quick = [Turn("", {}, action=TAKE, reward=1.0, done=True)]
    assert not any(plan(quick) for _, plan in paid_cycles([IDLE], SPACE.leaves()))


def test_numbers_are_scaled_and_nothing_else() -> None:
    action = {"move": [3, -3, 0], "deep": {"speed": 0.5}, "word": "up", "sure": True}
    halved = {"move": [1, -1, 0], "deep": {"speed": 0.25}, "word": "up", "sure": True}
    assert scaled(action, 0.5) == halved


def test_answers_in_words_are_tried_on_another_seed() -> None:
    space = Space({"properties": {"word": {"type": "string"}}, "required": ["word"]})
    good = [
        ({"seed": seed}, [Turn("", {}, action={"word": word}, reward=1.0)])
        for seed, word in enumerate("abc")
    ]
    assert foreign(good, space) == [
        ({"seed": 0}, [{"word": "b"}]),
        ({"seed": 1}, [{"word": "c"}]),
        ({"seed": 2}, [{"word": "a"}]),
    ]
    assert foreign(good[:1], space) == []
    assert foreign(good, SPACE) == [], "no words"


def test_an_answer_is_broken_after_its_first_character() -> None:
    space = Space({"properties": {"cell": {"type": "string"}}, "required": ["cell"]})
    (leaf,) = space.leaves()
    said = [Turn("", {}, action={"cell": "=SUM(A1:A5)"}), Turn("", {}, action={"cell": ""})]
    assert broken(said, leaf, "1/0") == [{"cell": "=1/0"}, {"cell": "1/0"}]
    assert broken(said[1:], leaf, "1/0") == []


def test_every_verb_that_is_paid_is_gone_on_to_and_repeated() -> None:
    more = {"op": "take", "box": 8}
    turns = [
        Turn("", {}, action=TAKE, reward=0.5),
        Turn("", {}, action=more, reward=0.5),
        Turn("", {}, action=LOOK, reward=0.0),
        Turn("", {}, action=LAST, reward=0.5),
        Turn("", {}, action=TAKE, reward=0.5),
        Turn("", {}, action=IDLE, reward=0.5, done=True),
    ]
    leaves = SPACE.leaves()
    assert paid_places(turns, leaves) == [0, 3, 1], (
        "a verb comes before another object of the first"
    )
    plans = {
        name: plan(turns) for name, plan in later_cycles("it", ranked(1, leaves), [IDLE], leaves)
    }
    way = [TAKE, more, LOOK, LAST]
    assert plans["it in turn"][:6] == [*way, LAST, LAST]
    assert plans["all the way to it in turn"][:8] == [*way, *way]
    assert plans["the 2 actions up to it and op=take of it in turn"][:7] == [*way, TAKE, LOOK, LAST]
    assert like(verb_of(LAST, leaves), leaves)(turns) == 3
    assert ranked(3, leaves)(turns) is None
