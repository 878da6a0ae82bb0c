"""What a reset shows is sent back: the zoo's leaks are found where they are, and their look-alikes are not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.rollouts.engine import Flight
from gonogo.rollouts.types import Inspection
from gonogo.submission.grade.leaks import find_shown
from gonogo.wire import TaskOptions

ROOT = Path(__file__).parents[3]
TASKS = [{"seed": seed} for seed in range(4)]


@pytest.fixture
def opened(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Inspection]:
    monkeypatch.chdir(ROOT)
    with closing(connect(resolve(f"tests.zoo.cases.{request.param}"), 8)) as connection:
        yield connection


def leaks(connection: Inspection) -> list[tuple[str, str, str]]:
    _, found = find_shown(connection, TASKS, Flight("t", 30))
    return [(leak.where, leak.path, leak.way) for leak in found]


@pytest.mark.parametrize("opened", ["leaked_answer:Defect"], indirect=True)
def test_a_shown_code_is_found(opened: Inspection) -> None:
    assert leaks(opened) == [("observation", "reference", "sent back")]


@pytest.mark.parametrize("opened", ["leaked_answer__state:Defect"], indirect=True)
def test_a_word_in_the_state_is_spelled(opened: Inspection) -> None:
    assert leaks(opened) == [("state", "answer", "spelled")]


@pytest.mark.parametrize(
    "opened", ["leaked_answer:Sound", "leaked_answer__state:Sound"], indirect=True
)
def test_an_example_and_a_commitment_are_no_leak(opened: Inspection) -> None:
    assert leaks(opened) == []


@pytest.mark.parametrize("opened", ["constant_answer_pays:Sound"], indirect=True)
def test_a_reset_that_fails_shows_nothing(opened: Inspection) -> None:
    bad: list[TaskOptions] = [{"no_such_option": 1}] * 2
    _, found = find_shown(opened, bad, Flight("t", 30))
    assert found == ()
