"""Which value of an opening is sent back in which leaf of the action: what varies, what fits, what agrees first."""

from __future__ import annotations

import pytest

from gonogo.auditing.leak_copies import (
    AnswerCopy,
    Fits,
    VaryingPaths,
    candidates,
    has_items,
    is_seen,
    ways,
)
from gonogo.auditing.resets import Opening
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.space import Space
from gonogo.rollouts.types import View
from gonogo.wire import Action
from gonogo.wire import JsonObject as Json

SPACE = Space(
    {
        "properties": {"row": {"type": "integer"}, "word": {"type": "string", "maxLength": 4}},
        "required": ["row", "word"],
    }
)
ROW, WORD = SPACE.leaves()
WORDS = ("abc", "de", "fgh", "ijkl")


def opening(seed: int) -> Opening:
    seen: Json = {"shown": seed * 3, "same": 7, "echo": seed}
    hidden: Json = {"answer": WORDS[seed], "copy": seed, "clock": seed}
    return Opening({"seed": seed}, seen, {}, hidden)


OPENINGS = [opening(seed) for seed in range(4)]


def solved(seed: int) -> Episode:
    turn = Turn("", {}, action={"row": seed * 3, "word": WORDS[seed]}, reward=1.0, done=True)
    return Episode(seed, {"seed": seed}, "t", "solve", turns=[turn], success=True)


GUIDE = {f'{{"seed": {seed}}}': solved(seed) for seed in range(4)}


def varying(guide: dict[str, Episode] | None = None, dropped: str = "state.clock") -> VaryingPaths:
    return VaryingPaths(OPENINGS, {dropped}, guide or {}, SPACE.leaves())


def test_what_is_the_same_dropped_or_shown_anyway_tells_nothing() -> None:
    paths = varying().paths
    assert {"observation.shown", "observation.echo", "state.answer"} <= set(paths)
    assert not {"observation.same", "state.clock", "state.copy"} & set(paths)
    assert is_seen("observation.shown") and not is_seen("state.answer")


def test_agreement_with_the_guide_is_on_the_same_seed_and_not_on_others() -> None:
    told = varying(GUIDE)
    assert told.excess("state.answer", WORD) == 1.0
    assert told.excess("observation.shown", ROW) == 1.0
    assert told.excess("observation.echo", WORD) == 0.0
    best = told.most_agreeing()
    assert {(a.path, a.field) for a in best[:2]} == {
        ("state.answer", "word"),
        ("observation.shown", "row"),
    }
    assert varying().most_agreeing() == () and varying().excess("state.answer", WORD) == 0.0


def test_copies_that_agree_come_first_and_none_is_sent_where_it_does_not_fit() -> None:
    first, *rest = candidates(varying(GUIDE), SPACE)
    assert first.path == "state.answer" or first.field in {"row", "word"}
    assert ("state.answer", "row") not in {(copy.path, copy.field) for copy in [first, *rest]}
    unguided = list(candidates(varying(), SPACE))
    assert {copy.path for copy in unguided if copy.field == "word"} == {"state.answer"}
    assert {copy.items for copy in unguided if copy.path == "state.answer"} == {False, True}


def test_the_guides_answers_vary_in_leaves_and_have_a_mode() -> None:
    told = varying(GUIDE)
    assert [leaf.name for leaf in told.varied()] == ["row", "word"]
    assert told.modal() == {"row": 0, "word": "abc"}
    assert told.bases(SPACE)[0] == told.modal()
    assert varying().bases(SPACE)[0] == SPACE.idle()


BASE: Action = {"row": 0, "word": ""}


def test_a_copy_is_sent_whole_item_after_item_or_as_what_is_seen() -> None:
    whole = AnswerCopy(((WORD, "state.answer"),), False, BASE)
    assert whole.plan(OPENINGS[0]) == [{"row": 0, "word": "abc"}]
    assert (whole.name, whole.is_seen) == ("word: state.answer sent back", False)
    items = AnswerCopy(((WORD, "state.answer"),), True, BASE)
    assert [action["word"] for action in items.plan(OPENINGS[1])] == ["d", "e"]
    assert items.name == "word: the items of state.answer sent back"
    seen = AnswerCopy(((ROW, "observation.shown"), (WORD, "observation.absent")), False, BASE)
    assert seen.plan(OPENINGS[1]) == [BASE]  # one of the two is not there
    echo = AnswerCopy(((ROW, "observation.shown"),), False, BASE)
    assert echo.is_seen and echo.field == "row"
    view = View("", {"shown": 5}, {}, 0)
    assert echo.habit().act({0: view})[0].action == {"row": 5, "word": ""}


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (["ab", "cd"], [False, True]),
        (["abcdef", "ghijkl"], [True]),  # longer than the leaf takes, and its items are not
        (["a", "b"], [False]),
        ([1, 2], []),
        ([None, None], []),
        ([["a", "b"], ["c", "d"]], [True]),
    ],
)
def test_a_value_is_sent_as_it_fits(values: list[object], found: list[bool]) -> None:
    assert list(ways(values, Fits(WORD))) == found  # type: ignore[arg-type]


def test_several_items_are_in_a_list_or_a_text() -> None:
    assert has_items("ab") and has_items([1, 2])
    assert not has_items("a") and not has_items({"a": 1, "b": 2}) and not has_items(12)
