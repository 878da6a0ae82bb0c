"""What the documentation says of the reward holds as far as the environment keeps it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.auditing.audits import Audit, fly_audit

from gonogo import api
from gonogo.auditing.documented import is_contradicted, length_told, tried
from gonogo.contract.documented_pay import README, DocumentedPay
from gonogo.records.findings import Severity
from gonogo.rollouts.builtin_policies import ScriptedPolicy
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.types import Reply
from gonogo.wire import Action, TaskOptions

pytestmark = pytest.mark.usefixtures("from_the_root")
BY_LENGTH = DocumentedPay.of([(README, "The reward is `message_length × 0.1`.")])
IDLE: Action = {"add": 0}


def audited(case: str, out: Path, budget: int) -> Audit:
    """Audit an environment whose words say how it pays."""
    given = {"target": f"tests.zoo.documented:{case}", "audit.seeds": 6, "audit.budget": budget}
    return fly_audit(out, given, {})


def test_a_documented_running_total_is_counted_by_what_each_step_adds(tmp_path: Path) -> None:
    _, report = audited("Tally", tmp_path, 3000)
    assert [finding.id for finding in report.findings] == []


def test_what_each_step_is_paid_for_itself_is_accused_whatever_is_written(tmp_path: Path) -> None:
    _, report = audited("Notes", tmp_path, 3000)
    assert "paid_again" in {finding.id for finding in report.findings if finding.blocks}


def test_a_documented_pay_for_length_is_suspicious_with_its_words(tmp_path: Path) -> None:
    _, report = audited("Echo", tmp_path, 2500)
    (found,) = (finding for finding in report.findings if finding.id == "paid_again")
    assert found.severity is Severity.SUSPICIOUS
    assert "as its docstring says: “The reward is `message_length × 0.1`.”" in found.explanation


def rewards_of(answer: Callable[[float, float], float], adds: Sequence[float]) -> Episode:
    """An episode of an environment that adds up: what it answers follows from what was added, and all so far."""
    turns, so_far = [], 0.5
    for add in adds:
        so_far += add
        turns.append(Turn("", {}, action={"add": add}, reward=answer(add, so_far)))
    return Episode(0, {"seed": 1}, "t", "p", turns=turns, episode_return=0.0)


@pytest.mark.parametrize(
    ("answer", "contradicted"),
    [
        (lambda add, so_far: so_far, False),
        (lambda add, so_far: min(0.99, so_far), False),
        (lambda add, so_far: add, True),
        (lambda add, so_far: add + 0.1, True),
        (lambda add, so_far: 0.0, False),  # nothing tells
    ],
)
def test_a_step_that_forgets_what_was_paid_contradicts_a_running_total(
    answer: Callable[[float, float], float], contradicted: bool
) -> None:
    def fly(task: TaskOptions, plan: Sequence[Action]) -> Episode:
        return rewards_of(answer, [action["add"] for action in plan])

    explored = [rewards_of(answer, [0.0, 0.2, -0.1, 0.0, 0.2])]
    assert is_contradicted(explored, IDLE, fly) is contradicted


def test_actions_that_change_the_answer_are_tried_once_each_the_nearest_first() -> None:
    explored = [rewards_of(lambda add, so_far: add, [0.0, 0.2, 0.3, 0.2])]
    assert [(way, action) for _, way, action in tried(explored)] == [
        ([{"add": 0.0}], {"add": 0.2}),
        ([{"add": 0.0}, {"add": 0.2}], {"add": 0.3}),
    ]


def said(*pays: tuple[str, float]) -> list[Episode]:
    """Episodes of one message each."""
    return [
        Episode(0, {}, "t", "p", turns=[Turn("", {}, action={"message": text}, reward=pay)])
        for text, pay in pays
    ]


@pytest.mark.parametrize(
    ("pays", "unit"),
    [
        ([("", 0.0), ("ab", 0.2), ("abc", 0.3), ("a b c d", 0.7)], "character"),
        ([("", 0.0), ("ab", 0.5), ("a bc", 1.0), ("a b c", 1.5)], "word"),
        ([("ab", 0.2), ("abc", 0.3), ("a b c d", 0.7), ("hello", 5.5)], None),
        ([("ab", 0.2), ("abcd", 0.4)], None),  # too few to tell
        ([("ab", 0.0), ("abc", 0.0), ("abcd", 0.0)], None),
    ],
)
def test_length_is_what_is_paid_if_each_step_is_paid_so(
    pays: list[tuple[str, float]], unit: str | None
) -> None:
    told = length_told(said(*pays), BY_LENGTH)
    assert (told is None) is (unit is None)
    assert unit is None or f"for each {unit} of message, as its README says" in (told or "")
    assert length_told(said(*pays), DocumentedPay()) is None


def test_the_proof_of_a_running_total_is_replayed_as_it_was_answered() -> None:
    with api.load_environment("tests.zoo.documented:Tally") as env:
        script = ScriptedPolicy([[Reply(action={"do": "mend", "part": "fan", "how": "oil"})] * 4])
        (flown,) = env.rollout(script, [{"seed": 1}], env.flight(max_turns=4))
        flown.count_by_step()
        assert flown.rewards != tuple(turn.reward for turn in flown.turns)
        assert api.replay(env, flown).reproduced
