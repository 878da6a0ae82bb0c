"""What no environment should answer, over both transports: a lost episode at most, never an error of ours."""

from __future__ import annotations

import json
import math
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.zoo.stranger import DEEDS, ENDS, METADATA, REWARDS, SHOWN

from gonogo.config import RolloutConfig
from gonogo.env.connect import connect
from gonogo.env.target import resolve
from gonogo.env.worker.child import Malformed
from gonogo.env.worker.client import WorkerConnection
from gonogo.env.worker.frames import read_answer, read_greeting, read_message, take_frame
from gonogo.env.worker.slots import Slots
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


NAMES = st.sampled_from(["reset", "step", "state", "describe", "retire", "renew", "raw"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
KIND = st.sampled_from(["ok", "invalid", "raised", "unmade", "reward", "other", 5, None])
ANSWERS = st.tuples(KIND, JSON, JSON).map(list) | JSON


@settings(max_examples=300, deadline=None)
@given(NAMES, ANSWERS, st.integers(-3, 3))
def test_no_frame_is_an_error_of_ours(name: str, said: Any, slot: int) -> None:
    body = json.dumps(said).encode()
    try:
        found = read_answer(slot, body, name, {0, 1})
    except Malformed as error:
        assert len(str(error)) < 400
        return
    slots = Slots()
    if name in {"reset", "step"} and found.kind == "ok":
        taken = slots.began(slot, found.payload, found.identity)
        assert isinstance(taken, Transition | Failure)
        assert isinstance(
            slots.stepped(slot, found.payload | {"observation": {}}, found.identity),
            Transition | Failure,
        )


@settings(max_examples=300, deadline=None)
@given(st.lists(st.binary(max_size=40)), st.booleans())
def test_no_bytes_are_an_error_of_ours(chunks: list[bytes], framed: bool) -> None:
    buffer = bytearray()
    for number, chunk in enumerate(chunks):
        buffer += struct.pack(">Ii", len(chunk), number % 3) + chunk if framed else chunk
        try:
            while (taken := take_frame(buffer)) is not None:
                read_answer(*taken, "step", {0, 1})
                read_greeting(taken[1])
        except Malformed:
            return


@settings(max_examples=300, deadline=None)
@given(JSON | st.dictionaries(st.sampled_from(["type", "data", "code"]), JSON) | st.binary())
def test_no_message_is_an_error_of_ours(said: Any) -> None:
    try:
        message = read_message(said if isinstance(said, bytes) else json.dumps(said))
    except Malformed:
        return
    assert isinstance(message["type"], str)


def test_closing_has_one_deadline_and_what_was_late_is_said() -> None:
    began = time.monotonic()
    with closing(connect(resolve("tests.zoo.stranger:Clinging"), 4, WAITS)) as connection:
        connection.reset({slot: {} for slot in range(4)})
        described = connection.describe()
        renewed = connection.renew(range(4))
    assert set(renewed.values()) == {None}
    assert described.problems["close"] == "close() of the environment did not return within 4 s"
    assert time.monotonic() - began < 40
