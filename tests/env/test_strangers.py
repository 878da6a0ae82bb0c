"""What no environment should answer, over both transports: a lost episode at most, never an error of ours."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from tests.zoo.stranger import DEEDS, ENDS, METADATA, REWARDS, SHOWN

from gonogo.config import RolloutConfig
from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.env.worker.client import WorkerConnection
from gonogo.rollouts.builtin_policies import ScriptedPolicy
from gonogo.rollouts.engine import Flight, fly
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.types import Failure, Inspection, Reply, Transition

STRANGER = "tests.zoo.stranger:Stranger"
WAITS = RolloutConfig(timeout_s=20, startup_s=60)
GOOD = {"word": "good"}
KINDS = {"raised", "timeout", "died", "malformed"}


@pytest.fixture(scope="module", params=["worker", "server"])
def stranger(
    request: pytest.FixtureRequest, serve_class: Callable[[str], str]
) -> Iterator[Inspection]:
    where = STRANGER if request.param == "worker" else serve_class(STRANGER)
    with closing(connect(resolve(where), 2, WAITS)) as connection:
        yield connection


def answer(connection: Inspection, word: str) -> Transition | Failure:
    """What is answered to a word in the first slot, beside a well-behaved second one."""
    begun = connection.reset({0: {}, 1: {}})
    assert all(isinstance(each, Transition) for each in begun.values())
    answers = connection.step({0: {"word": word}, 1: GOOD})
    assert isinstance(answers[1], Transition), answers[1]
    assert answers[1].reward == 0.5
    return answers[0]


def flown(connection: Inspection, word: str) -> Episode:
    """An episode of one turn."""
    policy = ScriptedPolicy([[Reply(action={"word": word})]], name="scripted")
    (episode,) = fly(connection, policy, [{}], Flight("stranger", max_turns=1))
    return episode


@pytest.mark.long
@pytest.mark.parametrize("word", [*REWARDS, *ENDS, *METADATA, *SHOWN])
def test_a_value_that_is_none_costs_its_own_episode_at_most(
    stranger: Inspection, word: str
) -> None:
    said = answer(stranger, word)
    if isinstance(said, Failure):
        assert said.kind in KINDS
        assert len(said.message) < 500
    episode = flown(stranger, word)
    if episode.error is None:
        assert episode.episode_return is None or math.isfinite(episode.episode_return)
    again = answer(stranger, "good")
    assert isinstance(again, Transition)


@pytest.mark.parametrize("word", ["text", "list", "object", "huge", "huge negative", "huge float"])
def test_an_episode_with_a_reward_that_is_no_number_is_lost_by_it(
    stranger: Inspection, word: str
) -> None:
    error = flown(stranger, word).error
    assert error is not None
    assert "not a finite number" in error


@pytest.mark.parametrize("word", ["done text", "done none", "done two", "metadata list"])
def test_an_answer_of_another_form_is_said_by_its_rule_and_value(
    stranger: Inspection, word: str
) -> None:
    said = answer(stranger, word)
    assert isinstance(said, Failure)
    assert said.kind == "malformed"
    assert "must be" in said.message


@pytest.mark.parametrize("word", ["deep", "digits"])
def test_what_cannot_be_read_back_costs_its_own_slot(stranger: Inspection, word: str) -> None:
    said = answer(stranger, word)
    assert isinstance(said, Failure)
    assert said.kind == "malformed"
    assert "cannot be read" in said.message


LOST = {
    "close the pipe": "exited with code 1",
    "leave": "exited with code 9",
    "interrupt": "SIGINT",
}
REFUSED = {"memory": "MemoryError", "recursion": "maximum recursion depth exceeded"}
HARMLESS = {"close low", "signals", "folder", "streams", "write", "fork"}
FORGED = {word for word in DEEDS if word.startswith("forge")}


def test_each_deed_is_tried() -> None:
    assert LOST.keys() | REFUSED.keys() | HARMLESS | FORGED == DEEDS.keys()


@pytest.fixture(scope="module")
def worker() -> Iterator[WorkerConnection]:
    connection = connect(resolve(STRANGER), 2, WAITS)
    assert isinstance(connection, WorkerConnection)
    with closing(connection):
        yield connection


@pytest.mark.parametrize("word", sorted(DEEDS))
def test_a_deed_costs_the_process_at_most(worker: WorkerConnection, word: str) -> None:
    worker.reset({0: {}, 1: {}})
    said = worker.step({0: {"word": word}, 1: GOOD})[0]
    after = worker.step({0: GOOD, 1: GOOD})[0]
    if word in HARMLESS:
        assert isinstance(said, Transition)
        assert isinstance(after, Transition)
    elif word in REFUSED:
        assert isinstance(said, Transition)
        assert REFUSED[word] in str(said.refusal)
    elif word in LOST:
        assert isinstance(said, Failure)
        assert LOST[word] in said.message
    else:  # at once, or when the true answer comes that nobody waits for any more
        lost = said if isinstance(said, Failure) else after
        assert isinstance(lost, Failure)
    worker.close()
    assert isinstance(worker.reset({0: {}})[0], Transition)


@pytest.mark.parametrize(
    "word", ["forge a number", "forge a kind", "forge a payload", "forge a slot"]
)
def test_a_forged_frame_is_one_sentence(worker: WorkerConnection, word: str) -> None:
    worker.reset({0: {}, 1: {}})
    said = worker.step({0: {"word": word}, 1: GOOD})[0]
    assert isinstance(said, Failure)
    assert said.message.startswith("the environment's process broke the worker's protocol: ")
    assert "\n" not in said.message
    assert len(said.message) < 300
