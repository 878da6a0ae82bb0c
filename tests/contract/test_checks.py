"""Which checks a task gets an answer to, whatever it was lost to, and what is told beside."""

from __future__ import annotations

import pytest

from gonogo.contract.checks import PER_TASK, complete, refuse_full, volatile_note
from gonogo.contract.flights import Trace
from gonogo.contract.items import CHECKS, failed, passed
from gonogo.contract.tasks import Task
from gonogo.errors import EnvironmentFailure
from gonogo.rollouts.types import Failure
from gonogo.rollouts.volatile import Volatile

TASK = Task({"level": 2}, "manifest")


def test_the_checks_of_a_task_are_checks_in_their_order() -> None:
    known = list(CHECKS)
    places = [known.index(check) for check in PER_TASK]
    assert places == sorted(set(places))


def test_a_task_that_was_lost_has_an_answer_to_every_check() -> None:
    lost = failed("episode", "dies", "it died", TASK)
    items = complete(TASK, [lost], flew=False)
    assert items[0] is lost
    assert [item.checked.id for item in items[1:]] == list(PER_TASK)
    assert {(item.checked.verdict, item.checked.said) for item in items[1:]} == {
        ("na", "not flown: the task's episodes were lost")
    }
    assert all(item.checked.task == {"level": 2} for item in items)


def test_what_was_judged_is_not_answered_twice() -> None:
    judged = passed("reward_finite", "all are", TASK)
    again = [i.checked.id for i in complete(TASK, [judged], flew=False)]
    assert sorted(again) == sorted(PER_TASK)
    assert complete(TASK, [judged], flew=True) == [judged]


def test_a_server_without_a_session_says_nothing_of_the_environment() -> None:
    died, full = Failure("it died"), Failure("no session is left", kind="full")
    refuse_full([Trace({}), Trace({}, failure=died)])
    with pytest.raises(EnvironmentFailure, match="no session is left; free one, and map again"):
        refuse_full([Trace({}, failure=died), Trace({}, failure=full)])


def test_a_clock_is_told_with_two_of_its_values() -> None:
    said = volatile_note(TASK, "observation.at", Volatile("a clock", values=("10:31", "10:32")))
    assert said.startswith(
        "level=2: observation.at holds a clock: '10:31', then '10:32' by the same seed and actions"
    )
