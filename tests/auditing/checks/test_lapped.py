"""A lap of paid actions, and what says that it is no game."""

from __future__ import annotations

import pytest
from tests.auditing.rows import BEGIN, lapped

from gonogo.auditing.checks.lapped import (
    goes_back,
    moved_in,
    says_more,
    shown_score,
    takes_back,
    unpaid_first,
)
from gonogo.wire import Action


def test_laps_are_paid_to_the_end_where_the_later_ones_are_paid_as_the_earlier_ones() -> None:
    cycle = [{"op": "abort"}, BEGIN]
    assert lapped(cycle, [0.0, 0.1] * 6).pays_to_the_end
    assert not lapped(cycle, [0.0, 0.1] * 3).pays_to_the_end
    assert not lapped(cycle, [*[0.0, 0.1] * 3, *[0.0, 0.0] * 3]).pays_to_the_end
    assert not lapped(cycle, [0.0, 0.001] * 6).pays_to_the_end


@pytest.mark.parametrize(
    ("other", "paid"),
    [
        ({"op": "abort"}, {"op": "begin"}),
        ({"op": "roll_back", "to": 0}, {"op": "deploy"}),
        ({"op": "remove_item", "item": "x"}, {"op": "add_item", "item": "x"}),
        ({"op": "unlock"}, {"op": "lock"}),
        ({"move": "left"}, {"move": "right"}),
        ({"tool_name": "close_valve"}, {"tool_name": "open_valve"}),
        ({"turn": -2.0}, {"turn": 2.0}),
        ({"do": "press"}, {"do": "press"}),
    ],
)
def test_an_action_takes_back_by_its_name_its_number_or_as_a_switch(
    other: Action, paid: Action
) -> None:
    assert takes_back(other, paid) is not None


@pytest.mark.parametrize(
    ("other", "paid"),
    [
        ({"op": "restock"}, {"op": "sell"}),
        ({"op": "rest"}, {"op": "work"}),
        ({"op": "bake"}, {"op": "sell"}),
        ({"op": "plant", "what": "remove"}, {"op": "harvest", "what": "remove"}),
    ],
)
def test_what_makes_ready_for_the_next_time_takes_nothing_back(other: Action, paid: Action) -> None:
    assert takes_back(other, paid) is None


@pytest.mark.parametrize(
    ("other", "paid", "sure"),
    [
        ({"op": "abort"}, {"op": "begin"}, True),
        ({"op": "drop"}, {"op": "take"}, False),
        ({"op": "unload"}, {"op": "load"}, False),
        ({"op": "release_bed", "who": "x"}, {"op": "assign_bed", "who": "x"}, False),
        ({"turn": -2.0}, {"turn": 2.0}, False),
    ],
)
def test_opposites_by_name_or_number_alone_may_be_one_piece_of_work(
    other: Action, paid: Action, sure: bool
) -> None:
    said = takes_back(other, paid)
    assert said is not None and (said.doubt is None) is sure


@pytest.mark.parametrize(("first", "back"), [(0.1, True), (0.0, False)])
def test_a_switch_goes_back_and_a_pump_is_paid_where_it_comes_back(
    first: float, back: bool
) -> None:
    press: Action = {"do": "press"}
    lap = lapped([press, press], [0.1 - first, first] * 6)
    for number, turn in enumerate(lap.episode.turns):
        turn.observation, turn.reward = (
            {"on": bool(number % 2), "off": not number % 2},
            first if number % 2 == 0 else 0.1 - first,
        )
    assert goes_back(lap) is back


@pytest.mark.parametrize(
    ("shown", "back"),
    [
        ([0, 1, 0, 1, 0, 1, 0], True),  # away from how it began, and back
        ([0, 0, 1, 0, 1, 0, 1], False),  # paid where it comes back
        ([5, 1, 0, 1, 0, 1, 0], False),  # where it began is long left
    ],
)
def test_what_is_paid_goes_away_from_how_it_began(shown: list[int], back: bool) -> None:
    press: Action = {"do": "press"}
    lap = lapped([press, press], [0.0, 0.1] * 3)
    for turn, lamp in zip(lap.episode.turns, shown, strict=False):
        turn.observation = {"lamps": [lamp, 1 - lamp], "said": "pressed"}
    assert goes_back(lap) is back


def test_one_lever_may_be_pressed_for_what_is_not_seen() -> None:
    press: Action = {"do": "press"}
    lap = lapped([press, press], [0.0, 0.1] * 3)
    for number, turn in enumerate(lap.episode.turns):
        lever = ("up", "down")[number % 2]
        turn.observation = {"lever": lever, "said": f"It is {lever}." if number else "Go on."}
    assert not goes_back(lap)


def test_an_action_that_is_paid_takes_nothing_back() -> None:
    cycle = [{"op": "abort"}, BEGIN]
    assert unpaid_first(lapped(cycle, [0.0, 0.1] * 6))
    assert not unpaid_first(lapped(cycle, [0.1, 0.1] * 6))


def test_other_words_are_the_same_ones_gone_on_with() -> None:
    assert says_more({"do": "say", "text": "hello 2"}, {"do": "say", "text": "hello"})
    assert not says_more({"do": "say", "text": "bye"}, {"do": "say", "text": "hello"})
    assert not says_more({"do": "say", "n": 2}, {"do": "say", "n": 1})
    assert not says_more({"do": "say"}, {"do": "say"})


@pytest.mark.parametrize(
    ("name", "shown", "told"), [("score", 0.5, True), ("warmth", 0.5, False), ("score", 0.7, False)]
)
def test_a_score_that_is_paid_at_each_step_is_one_that_is_shown(
    name: str, shown: float, told: bool
) -> None:
    lap = lapped([BEGIN], [0.5] * 9)
    for turn in lap.episode.turns:
        turn.observation = {name: shown}
    assert (shown_score(lap) is not None) is told


def test_what_moves_from_lap_to_lap_is_known_by_its_path() -> None:
    laps = lapped([{"op": "abort"}, BEGIN], [0.0, 0.1] * 6)
    for number, turn in enumerate(laps.episode.turns):
        turn.observation = {"step": number, "lit": number % 2 == 0}
    assert moved_in(laps.turns, 2) == {".step"}
