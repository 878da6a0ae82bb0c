"""Answers that are handed out are found by flying a copy of them; copying as the task itself is none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.records_made import judged_success

from gonogo.auditing.checks.leakage import (
    AnswerCopy,
    VaryingPaths,
    candidates,
    fits_in,
    has_items,
    leakage,
    ways,
    with_value,
)
from gonogo.auditing.resets import Opening, is_seen
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.space import Space
from gonogo.rollouts.types import View
from gonogo.wire import Action
from gonogo.wire import JsonObject as Json

CASES = {
    "leaked_answer": ("observation.reference", "pegs", False),
    "leaked_answer__state": ("state.answer", "letter", True),
    "leaked_answer__copied": ("observation.slip", "number", False),
}
SPACE = Space(
    {
        "properties": {"row": {"type": "integer"}, "word": {"type": "string", "maxLength": 4}},
        "required": ["row", "word"],
    }
)
ROW, WORD = SPACE.leaves()
WORDS = ("abc", "de", "fgh", "ijkl")


def verdicts(record: Json) -> dict[str, str]:
    return {copy.path: copy.verdict for copy in record.copies}


@pytest.mark.parametrize("case", CASES)
def test_a_leak_is_proven_and_its_look_alike_is_clean(
    case: str, opened: Callable[..., Any]
) -> None:
    record, (suspicion,) = leakage(*opened(f"{case}:Defect"))
    path, field, items = CASES[case]
    (copy,) = record.copies
    assert (copy.path, copy.field, copy.items) == (path, field, items)
    assert (copy.verdict, copy.success) == ("leak", 1.0)
    assert copy.success_with_another_seeds_value < 0.3
    assert suspicion.id == "leaked_answer"
    assert suspicion.witness.success is True

    record, suspected = leakage(*opened(f"{case}:Sound"))
    assert suspected == []
    assert "leak" not in verdicts(record).values()


@pytest.mark.parametrize(("word", "severity"), [(True, None), (False, Severity.SUSPICIOUS)])
def test_a_leak_under_a_mark_on_the_reward_is_suspicious(
    word: bool, severity: Severity | None, opened: Callable[..., Any]
) -> None:
    """Under it a state that follows from what is told may be what the task asks for."""
    session, survey = opened("leaked_answer__state:Defect")
    judged = judged_success("assumed", "done and reward >= 1")
    mark = judged.candidates[0].model_copy(update={"word": word, "circular": not word})
    judged = judged.model_copy(update={"candidates": (mark,)})
    _, (suspicion,) = leakage(session, replace(survey, judged=judged))
    assert suspicion.severity is severity and suspicion.rests


def test_what_the_task_is_to_copy_is_no_leak(opened: Callable[..., Any]) -> None:
    record, suspected = leakage(*opened("leaked_answer__copied:Sound"))
    (copy,) = record.copies
    assert (copy.success, copy.needed_by_reference, copy.verdict) == (1.0, True, "task")
    assert suspected == []


def test_without_a_policy_that_succeeds_a_seen_copy_is_not_judged(
    opened: Callable[..., Any],
) -> None:
    record, suspected = leakage(*opened("leaked_answer__copied:Defect", solve=False))
    assert verdicts(record) == {"observation.slip": "unknown"}
    assert suspected == []


def test_a_leak_of_the_state_needs_no_policy_that_succeeds(opened: Callable[..., Any]) -> None:
    record, (suspicion,) = leakage(*opened("leaked_answer__state:Defect", solve=False))
    assert verdicts(record) == {"state.answer": "leak"}
    assert suspicion.row.name == "letter: the items of state.answer sent back"


def test_an_answer_that_is_right_on_every_seed_is_no_leak(opened: Callable[..., Any]) -> None:
    record, suspected = leakage(*opened("paid_for_idling:Sound"))
    assert suspected == []
    assert record.paths > 0


def test_agreement_with_the_succeeding_policy_is_measured_against_chance(
    opened: Callable[..., Any],
) -> None:
    record, _ = leakage(*opened("leaked_answer:Defect"))
    best = record.agreements[0]
    assert (best.path, best.field, best.same_seed) == (
        "observation.reference",
        "pegs",
        1.0,
    )
    assert best.other_seeds < 0.3


def test_a_value_is_replaced_in_a_copy() -> None:
    seen = {"board": [{"x": 1}, 7], "goal": 2}
    assert with_value(seen, "observation.board[0].x", 9) == {"board": [{"x": 9}, 7], "goal": 2}
    assert with_value(seen, "observation.absent", 9) == seen
    assert seen == {"board": [{"x": 1}, 7], "goal": 2}


def test_an_answer_of_two_fields_is_read_from_a_map(opened: Callable[..., Any]) -> None:
    record, (suspicion,) = leakage(*opened("leaked_answer__map:Defect"))
    leaks = [copy for copy in record.copies if copy.verdict == "leak"]
    assert [(copy.path, copy.field) for copy in leaks] == [
        ("state.map -> row of x, state.map -> column of x", "row, column")
    ]
    assert suspicion.witness.success is True
    record, suspected = leakage(*opened("leaked_answer__map:Sound"))
    assert suspected == []


def opening(seed: int) -> Opening:
    seen: Json = {"shown": seed * 3, "same": 7, "echo": seed}
    hidden: Json = {"answer": WORDS[seed], "copy": seed, "clock": seed}
    return Opening({"seed": seed}, seen, {}, hidden)


OPENINGS = [opening(seed) for seed in range(4)]


def solved(seed: int) -> Episode:
    turn = Turn("", {}, action={"row": seed * 3, "word": WORDS[seed]}, reward=1.0, done=True)
    return Episode(seed, {"seed": seed}, "t", "solve", turns=[turn], success=True)


GUIDE = [solved(seed) for seed in range(4)]


def varying(guide: Sequence[Episode] = (), dropped: str = "state.clock") -> VaryingPaths:
    return VaryingPaths(OPENINGS, {dropped}, guide, SPACE.leaves())


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
    assert list(ways(values, fits_in(WORD))) == found  # type: ignore[arg-type]


def test_several_items_are_in_a_list_or_a_text() -> None:
    assert has_items("ab") and has_items([1, 2])
    assert not has_items("a") and not has_items({"a": 1, "b": 2}) and not has_items(12)
