"""A lap of paid actions, and what says that it is no game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace

import pytest
from tests.auditing.rows import BEGIN, lapped

from gonogo.auditing.checks.lapped import (
    MAY_USE_UP,
    PUTS_BACK,
    LapEvidence,
    Lapped,
    LapStates,
    PaidStep,
    Said,
    as_before,
    ends,
    exchanges,
    goes_back,
    laps_seen,
    moved_in,
    named_in,
    put_and_taken,
    says_more,
    shown_score,
    takes_back,
    undoes,
    undone,
    unpaid_first,
)
from gonogo.auditing.session import AuditContext, AuditSession
from gonogo.contract.sources import Sources
from gonogo.wire import Action, JsonObject


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
        ({"op": "remove", "item": "x"}, {"op": "add", "item": "x"}, True),
        ({"op": "remove"}, {"op": "bake", "heat": "low"}, False),  # a loaf, for the shelf
        ({"op": "remove", "what": "tray"}, {"op": "bake", "what": "place 2"}, False),
        ({"op": "reopen"}, {"op": "close"}, True),
        ({"op": "reset"}, {"op": "shoot", "lens": "wide"}, False),  # which cocks the shutter
        ({"op": "drop"}, {"op": "take"}, False),
        ({"op": "unload"}, {"op": "load"}, False),
        ({"op": "release_bed", "who": "x"}, {"op": "assign_bed", "who": "x"}, False),
        ({"turn": -2.0}, {"turn": 2.0}, False),
    ],
)
def test_what_takes_out_and_opposites_by_name_or_number_may_be_one_piece_of_work(
    other: Action, paid: Action, sure: bool
) -> None:
    said = takes_back(other, paid)
    assert said is not None and (said.doubt is None) is sure


@pytest.mark.parametrize(
    ("other", "so"),
    [
        ({"op": "release_cab", "at": "stop_3"}, True),
        ({"op": "drop", "at": "stop_3"}, False),  # a place, which both name
        ({"op": "unload", "at": "stop_3"}, False),
    ],
)
def test_the_end_of_a_piece_of_work_has_the_name_of_an_opposite(other: Action, so: bool) -> None:
    assert ends(other, {"op": "take", "at": "stop_3"}) is so


@pytest.mark.parametrize(
    ("told", "so"),
    [
        ("`lift` takes the piece out again", True),
        ("undo: reverts the last move", True),
        ("`clear` removes what was placed.", True),
        ("`collect`: a van takes the pallet away, and the dock is free again.", False),
        ("`load` lifts it into the back of the van", False),
    ],
)
def test_a_sentence_says_that_something_goes_back(told: str, so: bool) -> None:
    assert (PUTS_BACK.search(told) is not None) is so


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


LAY: Action = {"op": "lay", "row": 1, "wood": "Ash"}
LIFT: Action = {"op": "lift", "row": 1, "wood": ""}


def seen_in_turn(lap: list[Action], shown: Sequence[JsonObject]) -> Lapped:
    """Laps of an unpaid and a paid action, with what is seen at the reset, then after the paid and the unpaid one."""
    laps = lapped(lap, [0.0, 0.1] * 6)
    start, after, before = shown
    for number, turn in enumerate(laps.episode.turns):
        turn.observation = dict((after if number % 2 else before) if number else start)
    return laps


def with_states(shown: Sequence[JsonObject]) -> tuple[Lapped, LapStates]:
    """Laps in which a piece is lifted and laid, and what is seen in one of them."""
    laps = seen_in_turn([LIFT, LAY], shown)
    states = laps_seen(laps)
    assert states is not None
    return laps, states


@pytest.mark.parametrize(
    ("shown", "where"),
    [
        ([{"panel": [""]}, {"panel": ["ash"]}, {"panel": [""]}], ".panel[0]"),
        ([{"laid": {}}, {"laid": {"Ash": 3}}, {"laid": {}}], ".laid.Ash"),
        ([{"panel": ["ash"]}, {"panel": ["ash"]}, {"panel": [""]}], None),  # it was there
        ([{"panel": [""]}, {"panel": ["ash"]}, {"panel": ["oak"]}], None),  # not as at the reset
        (
            [{"kiln": "cold"}, {"kiln": "hot"}, {"kiln": "cold"}],
            None,
        ),  # a stage, which nobody named
        ([{"mode": "idle"}, {"mode": "lay"}, {"mode": "idle"}], None),  # what is done, not what to
        ([{"strength": 4}, {"strength": 1}, {"strength": 4}], None),  # spent and restored
    ],
)
def test_what_is_named_and_put_somewhere_is_taken_away_again(
    shown: list[JsonObject], where: str | None
) -> None:
    assert put_and_taken(*with_states(shown)) == where


def test_an_action_names_what_another_one_does_not_say_otherwise() -> None:
    assert named_in(LAY, LIFT) == {"1", '"ash"'}


@pytest.mark.parametrize(
    ("told", "names", "so"),
    [
        ("| `lift` | takes the piece in `row`, `col` out again |", ["lift"], True),
        ("undo: reverts the last move", ["undo"], True),
        ("lower takes the flag off the mast", ["lower"], True),
        ("| `sleep` | gives the strength back |", ["sleep"], False),
        ("| `load` | puts a cartridge in |", ["load"], False),
        ("| `lift` | takes the piece out again |", ["lay"], False),
    ],
)
def test_an_action_is_told_to_undo_another(told: str, names: list[str], so: bool) -> None:
    assert undoes(told, names) is so


@pytest.mark.parametrize(
    ("shown", "so"),
    [
        ([{"grid": [0]}, {"grid": [1]}, {"grid": [0]}], True),
        ([{"hung": False}, {"hung": True}, {"hung": False}], True),
        ([{"form": {"who": ""}}, {"form": {"who": "x"}}, {"form": {"who": ""}}], True),
        ([{"grid": [1]}, {"grid": [1]}, {"grid": [0]}], False),
        ([{"strength": 4}, {"strength": 1}, {"strength": 4}], False),
        ([{"said": "Go."}, {"said": "Done."}, {"said": "Go."}], False),
    ],
)
def test_what_is_undone_is_as_it_was_at_the_reset(shown: list[JsonObject], so: bool) -> None:
    assert undone(with_states(shown)[1]) is so


@pytest.mark.parametrize(
    ("shown", "so"),
    [
        ([{"panel": [""], "left": 3}, {"panel": ["ash"], "left": 3}, {"panel": [""], "left": 3}], True),
        ([{"panel": [""], "left": 3}, {"panel": ["ash"], "left": 2}, {"panel": [""], "left": 2}], False),
        ([{"box": "", "said": "Go."}, {"box": "ash", "said": "In."}, {"box": "", "said": "Out."}], True),
        ([{"box": "", "said": "The box is empty."}, {"box": "ash", "said": "ok"}, {"box": "", "said": "ok"}], True),
        ([{"box": "", "stage": "new"}, {"box": "ash", "stage": "open"}, {"box": "", "stage": "open"}], False),
        ([{"box": "", "score": 0}, {"box": "ash", "score": 1}, {"box": "", "score": 1}], True),
    ],
)  # fmt: skip
def test_after_a_lap_all_but_messages_and_scores_has_to_be_as_it_was(
    shown: list[JsonObject], so: bool
) -> None:
    assert as_before(*with_states(shown)) is so


def test_clocks_and_histories_do_not_count_among_what_is_as_it_was() -> None:
    laps = seen_in_turn([LIFT, LAY], [{"box": ""}, {"box": "ash"}, {"box": ""}])
    for number, turn in enumerate(laps.episode.turns):
        turn.observation |= {"clock": 9 - number, "log": ["x"] * number}
    states = laps_seen(laps)
    assert states is not None
    assert as_before(laps, states)


@pytest.mark.parametrize(
    ("action", "shown", "so"),
    [
        ({"first": 1, "second": 2}, [["a", "c", "b"], ["a", "b", "c"]], True),
        ({"one": "b", "other": "c"}, [["a", "c", "b"], ["a", "b", "c"]], True),
        ({"do": "stroke"}, [["up", "down"], ["down", "up"]], False),  # no stroke says which
        ({"first": 1, "second": 2}, [["a", "c", "b"], ["a", "d", "e"]], False),
    ],
)
def test_an_exchange_names_what_changes_places(
    action: Action, shown: list[list[str]], so: bool
) -> None:
    laps = lapped([action, action], [0.0, 0.1] * 6)
    for number, turn in enumerate(laps.episode.turns):
        turn.observation = {"shelf": shown[number % 2]}
    assert exchanges(laps) is so


def evidence(session: AuditSession, way: list[Action], lap: tuple[Action, ...]) -> Said | None:
    """What says of a lap that it is no game, flown to the end."""
    task = {"seed": 3}
    (flown,) = session.plans("laps", [(task, [*way, *(lap * 20)])], whole=True)
    return LapEvidence(session).of(Lapped(PaidStep(task, tuple(way), 0.1, "x"), lap, flown))


@pytest.mark.usefixtures("from_the_root")
def test_a_book_that_is_put_down_again_and_again_is_no_game(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of("tests.zoo.respelled:Box")
    (seen,) = session.plans(
        "a look", [({"seed": 3}, [{"op": "rest", "book": ""}])], turns=1, whole=True
    )
    book = seen.turns[0].observation["wanted"][0]
    place, lift = {"op": "place", "book": book}, {"op": "lift", "book": ""}
    said = evidence(session, [place], (lift, place))
    assert said is not None and said.back and said.doubt is None
    assert "puts what it names in box" in said.words


@pytest.mark.parametrize(
    ("paid", "other", "told"),
    [
        ("stack", "ship", ()),
        ("stack", "ship", ("`ship` takes the pallet away",)),
        ("assign", "release", ()),  # opposites by name, and the begin and the end of one ride
    ],
)
def test_what_is_used_up_is_not_undone(
    context_of: Callable[..., AuditContext], paid: str, other: str, told: tuple[str, ...]
) -> None:
    context = replace(context_of("tests.zoo.respelled:Packing"), sources=Sources(sentences=told))
    with closing(AuditSession(context)) as session:
        (seen,) = session.plans(
            "a look", [({"seed": 3}, [{"op": "rest", "item": ""}])], turns=1, whole=True
        )
        stack = {"op": paid, "item": seen.turns[0].observation["boxes"][0]}
        said = evidence(session, [stack], ({"op": other, "item": ""}, stack))
    assert said is not None and said.doubt == MAY_USE_UP and not said.back


@pytest.mark.usefixtures("from_the_root")
def test_work_and_rest_is_a_game(session_of: Callable[[str], AuditSession]) -> None:
    session = session_of("tests.zoo.respelled:Shift")
    (seen,) = session.plans(
        "a look", [({"seed": 3}, [{"op": "wait", "place": ""}])], turns=1, whole=True
    )
    work = {"op": "work", "place": seen.turns[0].observation["places"][0]}
    assert evidence(session, [work], ({"op": "sleep", "place": ""}, work)) is None


@pytest.mark.usefixtures("from_the_root")
def test_an_exchange_that_is_paid_back_and_forth_is_no_game(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of("tests.zoo.respelled:Shelves")
    swap = {"first": 0, "second": 1}
    said = evidence(session, [swap, swap], (swap, swap))
    assert said is not None and said.back and said.doubt is None


@pytest.mark.usefixtures("from_the_root")
def test_an_exchange_that_is_paid_at_its_hour_undoes_nothing(
    session_of: Callable[[str], AuditSession],
) -> None:
    swap: Action = {"do": "swap", "one": "gate", "other": "wall"}
    said = evidence(session_of("tests.zoo.respelled:Guards"), [swap, swap], (swap, swap))
    assert said is not None and said.doubt is not None and not said.back
