"""Which expressions are proposed for success, and in which order."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from gonogo.auditing.success_candidates import Ending, propose
from gonogo.auditing.success_judge import ASSUMED
from gonogo.auditing.success_words import SourceWords, Threshold
from gonogo.env.environment import Env
from gonogo.env.success import SuccessRule
from gonogo.records.success import SuccessCandidate
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


def test_a_field_that_is_named_like_success_and_never_was_true_is_proposed_only() -> None:
    with Env(str(ACHIEVED)) as env:
        script = ScriptedPolicy([[Reply(action={"n": n})] for n in (11, 12)])
        episodes = env.rollout(script, [{"seed": 0}, {"seed": 1}])
        best = propose(episodes, env.schemas, SourceWords.of(env.folder))[0]
    assert (best.expression, best.held, best.ends) == ("task_achieved", 0, 2)
    assert best.strength < ASSUMED and not best.circular


@pytest.mark.parametrize(
    ("name", "proposed"),
    [
        ("conflicts_resolved", False),
        ("has_resolved", True),
        ("success", True),
        ("issues_solved", False),
    ],
)
def test_one_of_several_things_is_no_success(name: str, proposed: bool) -> None:
    ends = flown({name: 0}, {name: 1, "pay": 1}, start={name: 0})
    found = [each.expression for each in propose(ends, declared())]
    assert (f"{name} == 1" in found) is proposed


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


TOSSES: dict[str, list[Json]] = {
    "one of several graded parts": [
        {"format_score": 1.0, "pay": 0.3},
        {"format_score": 1.0, "pay": 1.0},
        {"format_score": 0.2, "pay": 0.7},
    ],
    "a message for one of two right decisions": [
        {"message": "Claim approved"},
        {"message": "Claim approved", "pay": 1},
        {"message": "Claim turned down", "pay": 1},
    ],
    "a flag of any deliberate end": [
        {"finished": True},
        {"finished": True, "pay": 1},
        {"finished": False, "pay": 0.4},
    ],
    "a verdict of any deliberate end": [
        {"status": "resolved"},
        {"status": "resolved", "pay": 1},
        {"status": "open", "pay": 0.4},
    ],
    "a counter that a clumsy success leaves short": [
        {"completed": 2, "total": 2, "pay": 0.6},
        {"completed": 2, "total": 2, "pay": 1},
        {"completed": 1, "total": 2, "pay": 0.8},
    ],
    "what never held": [{"won": False}, {"won": False, "pay": 1}],
}


@pytest.mark.parametrize("kind", TOSSES)
def test_rather_none_is_assumed_than_a_toss_of_a_coin(kind: str) -> None:
    found = propose(flown(*TOSSES[kind]), declared())
    assert all(each.strength < ASSUMED for each in found), found


def test_what_never_held_is_still_proposed_the_likeliest_first() -> None:
    (best, other) = propose(flown({"won": False, "finished": False}), declared())
    assert (best.expression, other.expression) == ("won", "finished")
    assert ASSUMED > best.strength > other.strength


def test_what_names_success_or_goes_with_the_highest_pay_is_assumed() -> None:
    named = {"solved": True}, {"solved": False, "pay": 0.4}, {"solved": True, "pay": 1}
    ends = {"note": "Accepted", "pay": 1}, {"note": "", "pay": 0.4}, {"note": "Accepted", "pay": 1}
    richest = {"score": 0.5, "pay": 1}, {"score": 1.0, "pay": 3}, {"score": 1.0, "pay": 3}
    assert first(flown(*named)).strength >= ASSUMED
    for some in (ends, richest):
        assert first(flown(*some * 2)).strength < ASSUMED  # at four ends it may be so by chance
        assert first(flown(*some * 3)).strength >= ASSUMED


def test_a_word_inside_of_its_contrary_is_no_success() -> None:
    """Whoever looks for ``correct`` in a text finds it in ``incorrect`` too."""
    whole = flown({"note": "incorrect"}, {"note": "correct", "pay": 1})
    assert first(whole).expression == 'note == "correct"'
    parts = flown({"note": "incorrect answer"}, {"note": "a correct answer", "pay": 1})
    expressions = [each.expression for each in propose(parts, declared())]
    assert '"correct answer" in (note or "")' not in expressions


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


def test_what_an_agent_says_and_hears_again_is_no_success() -> None:
    ends = {"message": "You said: Task completed"}, {"message": "Nothing"}
    episodes = flown(*ends)
    assert first(episodes).expression == '"Task completed" in (message or "")'
    episodes[0].turns[0].action = {"text": "Done. Task completed. Success."}
    assert propose(episodes, declared()) == []


def test_as_much_done_as_may_be_done_is_no_success() -> None:
    episodes = flown(
        {"completed_actions": ["a"], "available_actions": ["a"], "pay": 1},
        {"completed_actions": [], "available_actions": ["a"]},
    )
    assert propose(episodes, declared()) == []


@pytest.mark.parametrize("name", ["steps_remaining", "hints_remaining", "rounds_left", "days_left"])
def test_what_runs_out_is_no_success(name: str) -> None:
    assert propose(flown({name: 0}, {name: 3}), declared()) == []


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


def test_a_mark_that_the_source_compares_something_with_is_proposed_of_the_reward_and_marked() -> (
    None
):
    """What is compared may be another quantity than the reward, so that nothing rests on it."""
    words = SourceWords(thresholds=[Threshold("score", 0.95, True)])
    (only,) = propose(flown({"text": "a"}, {"text": "b", "pay": 1}), declared(), words)
    assert (only.expression, only.circular, only.held) == ("done and reward >= 0.95", True, 1)
    assert only.strength < ASSUMED
    best = propose(flown({"won": False}, {"won": True, "pay": 1}), declared(), words)[0]
    assert (best.expression, best.circular) == ("won", False)


def test_where_nothing_but_some_ends_is_paid_the_reward_says_it_in_a_circle() -> None:
    puzzle = [{"text": "a", "pay": pay} for pay in (0, 0, -0.2, 0, 0, 1)]
    best = first(flown(*puzzle))
    assert (best.expression, best.circular, best.word) == ("done and reward >= 1", True, False)
    assert best.strength >= ASSUMED


@pytest.mark.parametrize(
    ("pays", "done"),
    [
        pytest.param((0, 0.2, 0, 0, 0, 1), True, id="something else is paid too"),
        pytest.param((1, 1, 1, 1, 1, 0), True, id="most ends are paid"),
        pytest.param((0, 0, 0, 0, 0, 0.3), True, id="it may be part of a success"),
        pytest.param((0, 0, 1), True, id="too few ends"),
        pytest.param((0, 0, 0, 0, 0, 0), True, id="nothing is paid"),
        pytest.param((0, 0, 0, 0, 0, 1), False, id="the environment ended none"),
    ],
)
def test_a_reward_that_is_no_puzzle_s_says_no_success(pays: tuple[float, ...], done: bool) -> None:
    assert propose(flown(*({"text": "a", "pay": p} for p in pays), done=done), declared()) == []


def test_lost_episodes_and_none_at_all_are_no_evidence() -> None:
    lost = Episode(0, {}, "t", "p", error="died")
    assert propose([lost], declared()) == []
    assert first([lost], declared({"won": {"type": "boolean"}})).ends == 0


def test_a_truth_value_that_ends_episodes_with_the_highest_pay_is_a_word_whatever_its_name() -> (
    None
):
    words = SourceWords(ends={"delivered"})
    episodes = flown(*[{"delivered": False, "pay": 0.1}, {"delivered": True, "pay": 0.5}] * 5)
    best = first(episodes, words=words)
    assert (best.expression, best.word) == ("delivered", True)
    assert best.strength >= ASSUMED
    unsaid = first(episodes)
    assert not unsaid.word and unsaid.strength < ASSUMED


def test_an_end_that_is_paid_no_better_than_others_is_no_word() -> None:
    words = SourceWords(ends={"handed_in"})
    episodes = flown({"handed_in": False, "pay": 0.3}, {"handed_in": True, "pay": 0.3})
    assert not first(episodes, words=words).word
    episodes = flown(
        {"note": "accepted"}, {"note": "Form accepted", "pay": 1}, start={"note": "Form accepted"}
    )
    assert propose(episodes, declared()) == []


def test_that_a_form_is_accepted_at_the_best_paid_end_is_a_word() -> None:
    episodes = flown({"message": "Form refused, 3 errors"}, {"message": "Form accepted.", "pay": 1})
    best = first(episodes)
    assert (best.expression, best.word) == ('"Form accepted" in (message or "")', True)


def test_that_all_is_done_is_success_by_its_name() -> None:
    found = first(flown({"grade": {"all_done": False}}, {"grade": {"all_done": True}, "pay": 1}))
    assert (found.expression, found.word) == ('grade["all_done"]', True)


def test_a_mark_is_no_word_however_it_behaves() -> None:
    for end in ({"score": 1.0}, {"collected": 3, "total": 3}):
        other = {"score": 0.5, "collected": 1, "total": 3}
        best = first(flown(*[{name: other[name] for name in end}, {**end, "pay": 1}] * 5))
        assert best.strength >= ASSUMED and not best.word


def test_of_many_ends_those_that_are_paid_best_are_looked_at() -> None:
    ends = [{"won": n == 777, "pay": 5 if n == 777 else n % 3} for n in range(1000)]
    best = first(flown(*ends))
    assert (best.expression, best.held) == ("won", 1)
    assert best.ends < 300


def test_that_the_last_answer_was_correct_is_no_word_for_the_success_of_all() -> None:
    episodes = flown({"correct": False, "pay": 2}, {"correct": True, "pay": 3})
    assert first(episodes).word
    episodes[0].turns[1].observation = {"correct": True}  # and another question after it
    episodes[0].turns[0].observation = {"correct": False}
    best = first(episodes)
    assert (best.expression, best.word) == ("correct", False)


def test_the_outcome_of_the_last_case_is_none_of_the_episode_where_others_follow_it() -> None:
    ends = [{"last_outcome": "wrong", "pay": 1}] * 5 + [{"last_outcome": "correct", "pay": 9}] * 5
    episodes = flown(*ends, start={"last_outcome": ""})
    whole = first(episodes)
    assert (whole.expression, whole.strength >= ASSUMED) == ('last_outcome == "correct"', True)
    episodes[0].turns[1].observation = {"last_outcome": "correct"}  # and another case after it
    found = {each.expression: each for each in propose(episodes, declared())}
    best = found[whole.expression]
    assert best.strength < ASSUMED and not best.word


def test_what_comes_and_goes_beside_the_observations_is_of_an_action_or_of_one_case() -> None:
    ends = [{}] * 6
    beside = [{"info": {"success": n == 5}, "pay": n} for n in range(6)]
    episodes = flown(*ends, beside=beside)
    best = first(episodes)
    assert (best.expression, best.strength >= ASSUMED) == ('metadata["info"]["success"]', True)
    for episode in episodes[:2]:  # it went through, and the end was no success all the same
        episode.turns[0].aside = {"info": {"success": True}}
    best = first(episodes)
    assert "comes and goes" in best.why
    assert best.strength < ASSUMED and not best.word


@pytest.mark.parametrize(
    ("other", "assumed"),
    [
        ({"score_breakdown": {"tone": 0.4, "length": 0.3}}, False),
        ({"score_breakdown": {"priority_correct": 0}}, False),
        ({"score_breakdown": {"note": "a"}}, True),
    ],
)
def test_a_part_of_what_is_graded_is_no_success(other: Json, assumed: bool) -> None:
    ends = [
        {place: {**held, "category_correct": right}, "pay": right}
        for place, held in other.items()
        for right in (0, 1) * 5
    ]
    found = {each.expression: each for each in propose(flown(*ends), declared())}
    best = found['score_breakdown["category_correct"] == 1']
    assert (best.strength >= ASSUMED, best.word) == (assumed, assumed)


@pytest.mark.parametrize(
    ("end", "expression"),
    [
        (
            {"breakdown": {"file": {"correct": True}, "fix": {"correct": False}, "form": 1}},
            'breakdown["file"]["correct"]',
        ),
        ({"speed_score": 1.0, "answer_score": 0.2}, "speed_score >= 1"),
        ({"reward_breakdown": {"carbon_score": 1.0, "cost": 3, "late": 0}}, 'reward_breakdown["carbon_score"] >= 1'),
    ],
)  # fmt: skip
def test_a_part_may_be_a_score_or_lie_deeper(end: Json, expression: str) -> None:
    other = json.loads(json.dumps(end).replace("true", "false").replace("1.0", "0.0"))
    found = propose(flown(*[{**end, "pay": 1}, other] * 5), declared())
    best = next(each for each in found if each.expression == expression)
    assert "one part" in best.why and best.doubted and best.strength < ASSUMED


def test_a_final_score_beside_its_parts_is_of_the_whole() -> None:
    ends = [{"final_score": n, "answer_score": 0.2, "pay": 2 * n} for n in (0.0, 1.0)]
    best = first(flown(*ends * 5))
    assert (best.expression, best.strength >= ASSUMED) == ("final_score >= 1", True)


@pytest.mark.parametrize(("pays", "assumed"), [((0.2, 0.5, 1.0), False), ((0.9, 1.0), True)])
def test_a_sentence_whose_ends_are_paid_like_parts_is_of_one(
    pays: tuple[float, ...], assumed: bool
) -> None:
    ends = [{"message": "correct", "pay": pay} for pay in pays]
    best = first(flown(*[*ends, {"message": "no"}] * 3))
    assert (best.expression, best.strength >= ASSUMED) == ('message == "correct"', assumed)
    named = [{"solved": True, "pay": pay} for pay in pays]  # a grade may go beyond a success
    assert first(flown(*[*named, {"solved": False}] * 3)).strength >= ASSUMED


@pytest.mark.parametrize(
    ("wins", "loses", "parts"),
    [
        pytest.param((-1.0, -1.0), -1.0, False, id="each step costs as much"),
        pytest.param((-1.0, -3.0), -9.0, False, id="the sooner, the less it costs"),
        pytest.param((0.0, 0.0), 0.0, False, id="nothing is paid at the end"),
        pytest.param((0.2, 1.0), 0.0, True, id="shares of the best"),
    ],
)
def test_where_the_best_end_is_paid_nothing_no_end_is_paid_a_part_of_it(
    wins: tuple[float, float], loses: float, parts: bool
) -> None:
    ends = [{"message": "correct", "pay": pay} for pay in wins]
    best = first(flown(*[*ends, {"message": "no", "pay": loses}] * 3))
    assert best.expression == 'message == "correct"'
    assert ("some of its ends are paid far less than the best" in best.why) is parts
    assert best.doubted is parts


@pytest.mark.parametrize(("worst", "doubted"), [(-0.5, True), (0.6, False)])
def test_what_some_of_whose_ends_are_fined_is_no_success(worst: float, doubted: bool) -> None:
    ends = [{"lot_won": True, "pay": pay} for pay in (0.7, worst)]
    best = first(flown(*[*ends, {"lot_won": False, "pay": 0.0}] * 6, start={"lot_won": False}))
    assert best.expression == "lot_won"
    assert best.doubted is doubted


@pytest.mark.parametrize(
    ("pays", "verbs", "texts", "assumed"),
    [
        pytest.param((0.2, 1.0, 0.0), "ssl", 9, False, id="a button that always works"),
        pytest.param((1.0, 1.0, 0.0), "ssl", 9, True, id="the right answer, and paid so"),
        pytest.param((0.2, 1.0, 0.0), "scl", 9, True, id="the right answer differs"),
        pytest.param((0.2, 1.0, 0.0), "sss", 9, True, id="the button may fail"),
        pytest.param((0.2, 1.0, 0.0), "ssl", 2, True, id="hardly anything else was tried"),
        pytest.param((0.2, 0.2, 1.0), "ssl", 9, False, id="a button that failures out-earn"),
        pytest.param((0.0, 0.0, 0.0), "ssl", 9, False, id="a button where nothing is paid"),
    ],
)
def test_what_one_value_of_an_action_brings_about_is_no_success(
    pays: tuple[float, float, float], verbs: str, texts: int, assumed: bool
) -> None:
    """Of three episodes two succeed, and are paid by the first two pays."""
    ends = [{"resolved": n % 3 < 2, "pay": pays[n % 3]} for n in range(18)]
    episodes = flown(*ends, start={"resolved": False})
    for number, episode in enumerate(episodes):
        episode.turns[1].action = {"do": verbs[number % 3], "text": f"text {number % texts}"}
    best = first(episodes)
    assert (best.expression, best.strength >= ASSUMED) == ("resolved", assumed)
    assert ('do="s" brings it about' in best.why) is not assumed


def test_what_idling_reaches_as_often_as_not_is_no_success() -> None:
    episodes = flown(*[{"achieved": n % 2 == 0, "pay": 0.5 * (n % 2 == 0)} for n in range(10)])
    assert first(episodes).strength >= ASSUMED
    for episode in episodes[:4]:
        episode.policy = "idle"
    (best,) = propose(episodes, declared(), idle="idle")
    assert "idling reaches it in 2 of 4 episodes" in best.why
    assert best.doubted and best.strength < ASSUMED and not best.word
    (led,) = propose(episodes, declared(), guides=["p"], idle="idle")
    assert led.strength >= ASSUMED  # idling may be paid for what the work is paid for


def test_of_many_ends_all_of_idling_are_looked_at() -> None:
    episodes = flown(*[{"achieved": n % 9 == 0, "pay": 0.5 * (n % 9 == 0)} for n in range(1000)])
    for episode in episodes[900:909]:
        episode.policy = "idle"
    best = propose(episodes, declared(), idle="idle")[0]
    assert best.strength >= ASSUMED  # one of nine, though it is the best paid one
    for episode in episodes[900:905]:
        episode.final_observation["achieved"] = True
    best = propose(episodes, declared(), idle="idle")[0]
    assert "idling reaches it in 5 of 9 episodes" in best.why


def test_the_success_of_the_whole_may_stand_beside_its_parts() -> None:
    ends = [{"checks": {"is_solved": n == 2, "a": 0.1, "b": 0.2}, "pay": n} for n in range(3)]
    assert first(flown(*ends)).strength >= ASSUMED


def test_one_task_s_sentence_of_several_is_no_success() -> None:
    ends = [
        {"note": "PASS: Ages filled successfully", "pay": 1},
        {"note": "FAIL"},
        {"note": "FAIL"},
    ]
    ends += ends[:1] * 4
    own = ("_grade_task_1", "Ages filled successfully")
    for phrases, assumed in (
        ([own], True),
        ([own, ("_grade_task_2", "Prices converted successfully")], False),
    ):
        best = first(flown(*ends), words=SourceWords(phrases=phrases))
        assert (best.strength >= ASSUMED) is assumed


def test_the_top_of_a_graded_score_is_perfection_where_the_source_does_not_ask_for_it() -> None:
    ends = [{"score": score, "pay": 2 * score} for score in (0.2, 0.5, 0.7, *[1.0] * 5)]
    assert first(flown(*ends)).strength < ASSUMED
    words = SourceWords(thresholds=[Threshold("score", 0.9, True)])
    best = first(flown(*ends), words=words)
    assert (best.expression, best.strength >= ASSUMED) == ("score >= 0.9", True)


def test_a_puzzle_that_pays_on_the_way_is_none() -> None:
    puzzle = flown(*({"text": "a", "pay": pay} for pay in (0, 0, -0.2, 0, 0, 1)))
    puzzle[2].turns[0].reward, puzzle[2].turns[1].reward = 0.2, -0.4
    assert propose(puzzle, declared()) == []


def test_an_answer_beside_the_truth_is_no_count_of_it() -> None:
    levels = [(5, 4), (5, 5), (4, 5), (3, 2)]
    ends = [
        {"correct_level": right, "predicted_level": said, "pay": right == said}
        for right, said in levels
    ]
    assert propose(flown(*ends), declared()) == []


def test_a_total_that_moves_with_what_is_done_is_no_target() -> None:
    ends = [{"cleared": n, "needed": 2 + n // 2, "pay": n} for n in (0, 1, 2, 3)]
    episodes = flown(*ends)
    assert [each.expression for each in propose(episodes, declared())] == ["cleared == needed"]
    for episode in episodes:
        episode.task = {"seed": 0}
    assert propose(episodes, declared()) == []


def test_that_an_episode_is_over_is_no_success_nor_is_a_false_one() -> None:
    words = SourceWords(ends={"is_done"})
    ends = (
        {"is_done": False, "false_resolved": False},
        {
            "is_done": True,
            "false_resolved": True,
            "pay": 1,
        },
    )
    assert propose(flown(*ends), declared(), words) == []


def test_the_end_of_a_running_total_is_told_by_what_was_answered() -> None:
    turns = [Turn("", {}, action={}, reward=reward) for reward in (0.5, 0.7, 0.9)]
    episode = Episode(0, {}, "t", "p", turns=turns, episode_return=2.1)
    episode.count_by_step()
    end = Ending.of(episode)
    assert (end.reward, end.best_before, end.total) == (0.9, 0.7, 0.9)
