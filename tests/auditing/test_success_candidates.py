"""Which expressions are proposed for success, and in which order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from gonogo.auditing.success_candidates import ASSUMED, propose
from gonogo.auditing.success_words import SourceWords, Threshold
from gonogo.env.environment import Env
from gonogo.env.success import SuccessRule
from gonogo.records.audit import SuccessCandidate
from gonogo.rollouts.builtin_policies import ScriptedPolicy
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.types import Reply, Schemas

Json = Mapping[str, Any]
ACHIEVED = Path(__file__).parents[1] / "first_contact" / "achieved"


def flown(
    *ends: Json, start: Json | None = None, beside: Sequence[Json] = (), done: bool = True
) -> list[Episode]:
    """Episodes of two turns that end so; the return is the field ``pay`` of what is beside, or of the end."""
    episodes = []
    for number, end in enumerate(ends):
        told = dict(beside[number]) if beside else {}
        shown = dict(end)
        pay = float(told.pop("pay", shown.pop("pay", 0.0)))
        turns = [
            Turn("", dict(start or {}), action={}, reward=0.0),
            Turn("", {}, action={}, reward=pay, done=done),
        ]
        episodes.append(
            Episode(
                number, {"seed": number}, "t", "p", turns=turns, episode_return=pay,
                final_observation=shown, final_metadata=told,
            )
        )  # fmt: skip
    return episodes


def declared(observation: Json | None = None, state: Json | None = None) -> Schemas:
    """Schemas with such fields."""
    return Schemas({}, {"properties": dict(observation or {})}, {"properties": dict(state or {})})


def first(
    episodes: Sequence[Episode], schemas: Schemas | None = None, words: SourceWords | None = None
) -> SuccessCandidate:
    """The likeliest candidate."""
    return propose(episodes, schemas or declared(), words)[0]


def test_a_field_that_is_named_like_success_and_never_was_true_is_the_best() -> None:
    with Env(str(ACHIEVED)) as env:
        script = ScriptedPolicy([[Reply(action={"n": n})] for n in (11, 12)])
        episodes = env.rollout(script, [{"seed": 0}, {"seed": 1}])
        best = propose(episodes, env.schemas, SourceWords.of(env.folder))[0]
    assert (best.expression, best.held, best.ends) == ("task_achieved", 0, 2)
    assert best.strength >= ASSUMED and not best.circular


FOUND: dict[str, tuple[list[Episode], str]] = {
    "a truth value by its behaviour": (
        flown({"lid": False, "wet": True}, {"lid": True, "wet": True, "pay": 1}, start={"lid": False, "wet": True}),
        "lid",
    ),
    "in the metadata": (
        flown({}, {}, beside=[{"is_correct": False}, {"is_correct": True, "pay": 1}]), 'metadata["is_correct"]',
    ),
    "nested": (flown({"info": {"solved": 0}}, {"info": {"solved": 1}, "pay": 1}), 'info["solved"] == 1'),
    "a verdict": (flown({"outcome": "open"}, {"outcome": "resolved", "pay": 1}), 'outcome == "resolved"'),
    "a score": (flown({"score": 0.3, "pay": 1}, {"score": 1.0, "pay": 3}), "score >= 1"),
    "progress in percent": (flown({"progress": 40}, {"progress": 100, "pay": 1}), "progress >= 100"),
    "counts": (
        flown(
            {"completed_stages": ["a"], "required_stages": ["a", "b"]},
            {"completed_stages": ["a", "b"], "required_stages": ["a", "b"], "pay": 1},
        ),
        "len(completed_stages) == len(required_stages)",
    ),
    "a number that reaches a total": (
        flown({"paid": 1, "total": 3}, {"paid": 3, "total": 3, "pay": 1}), "paid == total",
    ),
    "a sentence": (
        flown({"message": "INCORRECT: it was 4"}, {"message": "CORRECT ANSWER: it was 4", "pay": 1}),
        '"CORRECT ANSWER" in (message or "")',
    ),
    "a name that is none of Python's": (
        flown({"task-solved": False}, {"task-solved": True, "pay": 1}), 'observation["task-solved"]',
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", FOUND)
def test_what_behaves_or_is_called_like_success_is_proposed_first(kind: str) -> None:
    episodes, expression = FOUND[kind]
    best = first(episodes)
    assert best.expression == expression
    assert (best.held, best.ends, best.return_held) == (1, 2, episodes[1].episode_return)
    rule = SuccessRule(expression, episodes[0].final_observation)
    assert [rule.says(e.final_observation, e.final_metadata, True) for e in episodes] == [
        False,
        True,
    ]


def test_the_success_of_an_action_or_of_any_end_is_not_taken_for_one_of_the_episode() -> None:
    ends = [
        {"status": "completed", "action_success": True, "match": "no", "pay": n} for n in range(6)
    ]
    ends[5] |= {"match": "exact"}
    found = propose(flown(*ends), declared())
    assert found[0].expression == 'match == "exact"'
    assert all(each.strength < ASSUMED for each in found[1:])


def test_what_is_true_from_the_start_is_not_proposed() -> None:
    episodes = flown({"healthy": True, "pay": 1}, {"healthy": False}, start={"healthy": True})
    assert propose(episodes, declared()) == []


def test_what_goes_with_low_returns_is_not_assumed() -> None:
    episodes = flown({"completed": True}, {"completed": False, "pay": 5})
    assert first(episodes).strength < ASSUMED


def test_the_names_of_failure_are_none_of_success() -> None:
    episodes = flown(
        {"failed": True, "unresolved": True}, {"failed": False, "unresolved": False, "pay": 1}
    )
    assert propose(episodes, declared()) == []


def test_what_runs_out_is_no_success() -> None:
    episodes = flown(
        {"steps_remaining": 0, "hints_remaining": 0}, {"steps_remaining": 3, "hints_remaining": 2}
    )
    assert propose(episodes, declared()) == []


def test_a_declared_verdict_or_field_of_the_state_is_proposed_where_nothing_was_seen() -> None:
    schemas = declared(
        {"outcome": {"type": "string", "enum": ["running", "won", "lost"]}},
        {"is_solved": {"anyOf": [{"type": "boolean"}, {"type": "null"}]}},
    )
    found = [each.expression for each in propose(flown({"outcome": "running"}), schemas)]
    assert found == ['state["is_solved"]', 'outcome == "won"']


def test_the_mark_of_the_source_comes_before_the_top_of_the_range() -> None:
    words = SourceWords(thresholds=[Threshold("score", 0.8, False)])
    found = propose(flown({"score": 0.3}, {"score": 0.9, "pay": 1}), declared(), words)
    assert [each.expression for each in found] == ["score >= 0.8", "score >= 1"]


def test_the_reward_is_the_last_resort_and_is_marked() -> None:
    words = SourceWords(thresholds=[Threshold("score", 0.95, True)])
    (only,) = propose(flown({"text": "a"}, {"text": "b", "pay": 1}), declared(), words)
    assert (only.expression, only.circular, only.held) == ("done and reward >= 0.95", True, 1)
    assert only.strength >= ASSUMED
    best = propose(flown({"won": False}, {"won": True, "pay": 1}), declared(), words)[0]
    assert (best.expression, best.circular) == ("won", False)


def test_lost_episodes_and_none_at_all_are_no_evidence() -> None:
    lost = Episode(0, {}, "t", "p", error="died")
    assert propose([lost], declared()) == []
    assert first([lost], declared({"won": {"type": "boolean"}})).ends == 0
