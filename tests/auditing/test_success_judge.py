"""What is assumed where nobody says success, and what an assumption accuses of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.auditing.audits import Audit, fly_audit
from tests.auditing.rows import IDLE, SOLVED, row

from gonogo.auditing.resets import Opening
from gonogo.auditing.success_judge import SuccessJudge
from gonogo.auditing.survey import REFERENCE, Survey, needs_none
from gonogo.auditing.suspicions import suspicions
from gonogo.exploits.panel import Kind
from gonogo.records.findings import Severity
from gonogo.records.record import Verdict
from gonogo.records.success import JudgedSuccess, SuccessCandidate
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.types import Schemas

SCHEMAS = Schemas({}, {"properties": {}}, {"properties": {}})


def ended(*states: bool | None, policy: str = "p") -> list[Episode]:
    """Episodes after which the state says whether they were won, and are paid so."""
    return [
        Episode(
            number, {"seed": number}, "t", policy, turns=[Turn("", {}, action={}, reward=0.0, done=True)],
            episode_return=float(won is True), final_state=None if won is None else {"won": won},
        )
        for number, won in enumerate(states)
    ]  # fmt: skip


def told(*said: bool | None) -> list[Episode]:
    """Episodes of which the environment itself says that they succeeded, or null."""
    episodes = ended(*said)
    for episode, success in zip(episodes, said, strict=True):
        episode.final_metadata = {"success": success}
    return episodes


def settled(episodes: list[Episode], *openings: Opening) -> SuccessJudge:
    """A judge that knows some episodes."""
    judge = SuccessJudge()
    judge.judge(episodes)
    judge.settle(episodes, SCHEMAS, None, openings)
    return judge


def test_what_the_state_says_at_the_end_is_assumed_and_judges_what_was_and_will_be_flown() -> None:
    before, after = ended(False, True, False), ended(True, None)
    judge = settled(before)
    assert (judge.record.said_by, judge.record.assumed) == ("assumed", 'state["won"]')
    assert [episode.success for episode in before] == [False, True, False]
    judge.judge(after)
    assert [episode.success for episode in after] == [True, False]
    assert judge.needs_state
    assert judge.record.under == 'under the assumed success `state["won"]`'


def test_what_was_assumed_is_given_up_where_it_behaves_like_less_than_success() -> None:
    episodes = ended(False, True)
    judge = settled(episodes)
    idle = ended(True, True, policy="idle")
    judge.settle([*episodes, *idle], SCHEMAS, None, idle="idle")
    assert (judge.record.said_by, judge.record.assumed) == ("nobody", None)
    assert judge.record.likeliest == 'state["won"]'
    judge.judge(idle)  # and what was judged by it is no word of the environment
    assert {episode.success for episode in [*episodes, *idle]} == {None}
    assert judge.needs_state
    late = told(True, None)
    judge.judge(late)  # and what it says later is heard
    judge.settle([*episodes, *idle, *late], SCHEMAS, None, idle="idle")
    assert (judge.record.said_by, judge.needs_state) == ("environment", False)
    assert [episode.success for episode in late] == [True, None]


def test_what_was_assumed_is_given_up_where_the_environment_says_success_after_all() -> None:
    episodes, late = ended(False, True), told(True, False)
    judge = settled(episodes)
    cut = told(None)
    cut[0].turns[0].done = False
    judge.judge(cut)
    judge.settle([*episodes, *cut], SCHEMAS, None)
    assert judge.record.assumed == 'state["won"]'  # that an episode was cut says nothing
    (lost,) = told(True)
    lost.error = "lost"
    judge.judge([lost])
    judge.settle(episodes, SCHEMAS, None)
    assert judge.record.assumed == 'state["won"]'  # nor does one that was lost
    judge.judge(late)
    assert judge.needs_state  # as long as it stands
    judge.settle([*episodes, *late], SCHEMAS, None)
    assert (judge.record.said_by, judge.record.expression) == ("environment", None)
    assert [episode.success for episode in [*episodes, *late]] == [None, None, True, False]


def test_what_was_assumed_is_given_up_also_where_others_stand_before_it() -> None:
    episodes = ended(False, True)
    judge = settled(episodes)
    idle = ended(True, True, policy="idle")
    names = ("success", "is_solved", "is_correct", "succeeded", "is_won")
    for episode in [*episodes, *idle]:
        episode.final_observation = {f"grade_{n}": {name: False} for n, name in enumerate(names)}
    judge.settle([*episodes, *idle], SCHEMAS, None, idle="idle")
    assert len(judge.record.candidates) == len(names)
    assert 'state["won"]' not in {each.expression for each in judge.record.candidates}
    assert judge.record.assumed is None


def test_what_was_assumed_is_replaced_by_something_better_and_not_by_nothing_for_no_reason() -> (
    None
):
    assert settled(ended(False, False)).record.assumed is None  # what never held is proposed only
    judge = settled(ended(False, True))
    assert judge.record.assumed == 'state["won"]'
    judge.settle([], SCHEMAS, None)
    assert judge.record.assumed == 'state["won"]'
    better = ended(False, False, False)
    for number, episode in enumerate(better):
        episode.final_observation, episode.episode_return = {"solved": number == 2}, float(number)
    judge.settle(better, SCHEMAS, None)
    assert judge.record.assumed == "solved"
    assert [episode.success for episode in better] == [False, False, True]


def test_what_the_state_says_at_the_reset_already_is_no_success() -> None:
    opened = Opening({"seed": 0}, {}, {}, {"won": True})
    assert settled(ended(False, True, True), opened).record.assumed is None


def test_what_the_policies_that_are_to_succeed_reach_comes_before_what_they_do_not() -> None:
    episodes, guided = ended(False, True), ended(False, False, policy="solve")
    for episode in guided:
        episode.final_observation = {"solved": True}
    judge = SuccessJudge()
    judge.settle([*episodes, *guided], SCHEMAS, None)
    assert judge.record.assumed == 'state["won"]'
    judge = SuccessJudge()
    judge.settle([*ended(False, True), *guided], SCHEMAS, None, guides=["solve"])
    assert judge.record.assumed == "solved"


def test_who_says_success_is_asked_and_nothing_else_assumed() -> None:
    given = SuccessJudge("won")
    given.settle(ended(False, True), SCHEMAS, None)
    assert (given.record.said_by, given.record.expression, given.needs_state) == (
        "given",
        "won",
        False,
    )
    own = settled([*ended(False, True), *told(False)])
    assert (own.record.said_by, own.record.assumed, own.needs_state) == ("environment", None, False)
    assert own.record.under == ""


def assumption(*, word: bool) -> JudgedSuccess:
    """An assumed success."""
    candidate = SuccessCandidate(
        expression="x", strength=3, why="", held=1, ends=2, return_held=1, return_else=0,
        circular=False, word=word,
    )  # fmt: skip
    return JudgedSuccess(said_by="assumed", expression="x", why="", candidates=(candidate,))


def test_only_a_word_for_success_accuses_and_what_needs_none_is_looked_for_otherwise() -> None:
    paid = row("x", Kind.CONSTANT, [0.1] * 6, field="text", action={"text": "b"})
    told = Survey({}, [IDLE, SOLVED, paid])
    word = replace(told, judged=assumption(word=True))
    mark = replace(told, judged=assumption(word=False))
    weighed = [suspicions(each)["constant_answer_pays"].severity for each in (told, word, mark)]
    assert weighed == [None, None, Severity.SUSPICIOUS]
    assert [needs_none(each) for each in (told, word, mark)] == [False, False, True]


def test_that_nobody_reaches_it_speaks_as_much_against_an_assumed_success() -> None:
    failing = row("solve", REFERENCE, [1.0] * 6)
    told = Survey({}, [IDLE, failing])
    word = replace(told, judged=assumption(word=True))
    weighed = [suspicions(each)["unreachable_reward"].severity for each in (told, word)]
    assert weighed == [None, Severity.SUSPICIOUS]


def audit_round(case: str, out: Path) -> Audit:
    """Audit a round of corners without flags."""
    given = {"target": f"tests.zoo.rounds:{case}", "audit.seeds": 6, "audit.budget": 8_000}
    return fly_audit(out, given, {})


@pytest.mark.usefixtures("from_the_root")
def test_what_waiting_earns_is_proven_under_the_word_of_the_state(tmp_path: Path) -> None:
    verdict, report = audit_round("RoundTrip", tmp_path)
    said = 'under the assumed success `state["won_the_round"]`'
    blocking = [each for each in report.findings if each.blocks]
    assert verdict is Verdict.NO_GO and said in report.reason
    assert {each.id for each in blocking} & {"paid_for_idling", "stalling_pays"}
    assert all(said in each.explanation for each in blocking)


@pytest.mark.usefixtures("from_the_root")
def test_a_sound_round_under_the_word_of_its_state_is_go_and_says_so(tmp_path: Path) -> None:
    verdict, report = audit_round("UnpaidWait", tmp_path)
    assert verdict is Verdict.GO
    assert 'under the assumed success `state["won_the_round"]`' in report.reason


@pytest.mark.usefixtures("from_the_root")
def test_an_honest_part_of_a_count_is_no_proof(tmp_path: Path) -> None:
    verdict, report = audit_round("Round", tmp_path)
    assert report.tasks[0].judged is not None
    assert report.tasks[0].judged.assumed is None  # a count that goes down again is none
    assert verdict is Verdict.HOLD
    assert "likeliest is --success 'corners_done == corners_total'" in report.reason
    assert not any(each.blocks for each in report.findings)
