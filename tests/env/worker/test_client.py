"""The worker transport, on real processes: what it answers, and what it makes of an environment's crimes."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gonogo.config import RolloutConfig
from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.env.worker.client import WorkerConnection
from gonogo.env.worker.load import load_class
from gonogo.errors import EnvironmentTimeout, Misuse, TargetError
from gonogo.rollouts.types import Failure, Transition
from gonogo.wire import JsonObject as Json


@pytest.fixture(scope="module")
def rogues(rogue: Path) -> Iterator[WorkerConnection]:
    connection = connect(resolve(str(rogue)), 4, RolloutConfig(timeout_s=5))
    assert isinstance(connection, WorkerConnection)
    yield connection
    connection.close()


def play(connection: WorkerConnection, trick: str, words: list[str]) -> list[Transition | Failure]:
    """Reset slot 1 with a trick and say the words; a good episode stands in slot 0 beside it."""
    connection.reset({0: {}})
    out = [connection.reset({1: {"trick": trick}})[1]]
    out += [connection.step({0: {"word": "good"}, 1: {"word": word}})[1] for word in words]
    return out


def test_many_instances_answer_in_one_batch(gridworld: Path) -> None:
    connection = connect(resolve(str(gridworld)), 16)
    try:
        assert connection.capacity == 16
        assert connection.schemas.action["properties"]["move"]["enum"][0] == "stay"
        started = connection.reset({slot: {"seed": slot} for slot in range(16)})
        assert len({str(t.observation) for t in started.values() if isinstance(t, Transition)}) > 8
        stepped = connection.step({slot: {"move": "north"} for slot in range(16)})
        for slot, after in stepped.items():
            before = started[slot]
            assert isinstance(after, Transition)
            assert isinstance(before, Transition)
            assert after.observation["goal_north"] == before.observation["goal_north"] - 1
            assert "metadata" not in after.observation
            assert after.metadata["components"].keys() == {"reach", "speed"}
        with_, without = (
            connection.reset({0: {"seed": 1, "x": 2}}),
            connection.reset({0: {"seed": 1}}),
        )
        assert with_ == without  # unknown reset options are dropped, as the server does
        states = connection.state([3, 5])
        assert {slot: state["step_count"] for slot, state in states.items()} == {3: 1, 5: 1}  # type: ignore[index,union-attr]
    finally:
        connection.close()
        connection.close()


def test_a_refused_action_leaves_the_episode_where_it_was(rogues: WorkerConnection) -> None:
    _, first, refused, again = play(rogues, "", ["one", "forbidden", "two"])
    assert isinstance(refused, Transition)
    assert refused.refusal == "word: Value error, the forbidden word (got 'forbidden')"
    assert isinstance(first, Transition)
    assert refused.observation == first.observation
    assert refused.reward is None
    assert isinstance(again, Transition)
    assert again.observation["said"] == "two"


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ({"wrod": "x"}, "word: Field required"),
        ({"word": 3}, "word: Input should be a valid string (got 3)"),
        ({"word": float("nan")}, "word: Input should be a valid string (got"),
        ({"word": "\ud800"}, "surrogates not allowed"),
        ({"word": {"a": ["\ud800", float("inf")]}}, "word: "),
    ],
)
def test_malformed_actions_are_refused_by_field_and_value(
    rogues: WorkerConnection, action: Json, said: str
) -> None:
    rogues.reset({1: {}})
    answer = rogues.step({1: action})[1]
    assert isinstance(answer, Transition)
    assert answer.refusal is not None
    assert said in answer.refusal


def test_an_exception_in_step_is_a_refusal_with_its_message(rogues: WorkerConnection) -> None:
    answer = play(rogues, "raise", ["a", "b"])[-1]
    assert isinstance(answer, Transition)
    assert answer.refusal == "step went wrong"


def test_an_exception_in_reset_is_a_failure(rogues: WorkerConnection) -> None:
    failed, stepped = play(rogues, "raise in reset", ["a"])
    assert failed == Failure("reset raised: no start today")
    assert stepped == failed


@pytest.mark.parametrize(
    ("trick", "reward"), [("nan", None), ("inf", None), ("bool", True), ("", 0.5)]
)
def test_rewards_travel_as_over_the_websocket(
    rogues: WorkerConnection, trick: str, reward: float | None
) -> None:
    answer = play(rogues, trick, ["a", "b"])[-1]
    assert isinstance(answer, Transition)
    assert answer.reward is reward or answer.reward == reward


@pytest.mark.parametrize("trick", ["unserializable", "surrogate"])
def test_what_json_cannot_hold_costs_only_its_slot(rogues: WorkerConnection, trick: str) -> None:
    rogues.reset({0: {}, 1: {"trick": trick}})
    rogues.step({0: {"word": "a"}, 1: {"word": "a"}})
    answers = rogues.step({0: {"word": "fine"}, 1: {"word": "b"}})
    assert answers[0] == Transition({"said": "fine", "extra": None}, 0.5, False)
    assert isinstance(answers[1], Transition)
    assert "serializ" in str(answers[1].refusal)


@pytest.mark.parametrize(
    ("trick", "said"),
    [
        ("sys.exit", "bye"),
        ("abort", "SIGABRT"),
    ],
)
def test_a_crash_fails_every_slot_in_flight_and_the_next_reset_flies_again(
    rogues: WorkerConnection, trick: str, said: str
) -> None:
    play(rogues, trick, ["a"])
    answers = rogues.step({0: {"word": "good"}, 1: {"word": "b"}})
    for answer in answers.values():
        assert isinstance(answer, Failure)
        assert said in answer.message
    assert isinstance(rogues.step({0: {"word": "still there?"}})[0], Failure)
    assert isinstance(rogues.state([0])[0], Failure)
    assert isinstance(rogues.reset({0: {}})[0], Transition)
    assert isinstance(rogues.step({0: {"word": "again"}})[0], Transition)
    assert isinstance(rogues.step({1: {"word": "not reset"}})[1], Failure)


def test_each_connection_names_its_own_process_and_the_one_that_replaces_it(
    gridworld: Path,
) -> None:
    # Of one hash seed, so that one server forks both.
    one, other = (connect(resolve(str(gridworld)), 1, hash_seed=1) for _ in range(2))
    try:
        assert one.pid is not None
        assert other.pid not in {None, one.pid}
        first = one.pid
        os.kill(first, signal.SIGKILL)
        assert isinstance(one.reset({0: {}})[0], Failure)
        assert one.pid is None
        assert isinstance(one.reset({0: {}})[0], Transition)
        assert one.pid not in {None, first, other.pid}
        assert isinstance(other.reset({0: {}})[0], Transition)
    finally:
        one.close()
        other.close()
    assert (one.pid, other.pid) == (None, None)


def test_a_hang_fails_after_the_timeout_and_says_where(rogue: Path) -> None:
    connection = connect(resolve(str(rogue)), 2, RolloutConfig(timeout_s=1.0))
    try:
        connection.reset({0: {"trick": "hang"}})
        connection.step({0: {"word": "a"}})
        began = time.monotonic()
        answer = connection.step({0: {"word": "b"}})[0]
        assert time.monotonic() - began < 5
        assert isinstance(answer, Failure)
        assert "no answer to step within 1 s" in answer.message
        assert "environment.py" in answer.message
        assert isinstance(connection.reset({0: {}})[0], Transition)
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("trick", "words", "said"),
    [
        ("reset", ["a", "b"], "episode_id changed"),
        ("rewind", ["a", "b"], "step_count stayed at 1"),
    ],
)
def test_a_silent_reset_is_a_failure_and_stays_one(
    rogues: WorkerConnection, trick: str, words: list[str], said: str
) -> None:
    *_, lost, after = play(rogues, trick, [*words, "c"])
    assert isinstance(lost, Failure)
    assert said in lost.message
    assert after == lost


@pytest.mark.parametrize("trick", ["uncounted", "no state", "double"])
def test_an_environment_that_counts_little_or_too_much_still_flies(
    rogues: WorkerConnection, trick: str
) -> None:
    answers = play(rogues, trick, ["a", "b", "uncounted", "uncounted", "c"])
    assert all(isinstance(answer, Transition) for answer in answers)


def test_an_async_environment_is_awaited_together() -> None:
    connection = connect(resolve("tests.zoo.single:AsyncCounter"), 20)
    try:
        assert connection.capacity == 20
        connection.reset({slot: {"seed": slot} for slot in range(20)})
        began = time.monotonic()
        answers = connection.step({slot: {"add": 1} for slot in range(20)})
        assert time.monotonic() - began < 0.8  # one after the other: 1 s
        assert [t.observation["total"] for t in answers.values()] == list(range(1, 21))  # type: ignore[union-attr]
    finally:
        connection.close()


def test_an_environment_without_concurrent_sessions_gets_one_slot() -> None:
    connection = connect(resolve("tests.zoo.single:Counter"), 20)
    connection.close()
    assert connection.capacity == 1


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("tests.zoo.single:Untyped", "does not say its models"),
        ("tests.zoo.single:Missing", "has no attribute 'Missing'"),
        ("tests.zoo.single:NOT_A_CLASS", "there is no class"),
    ],
)
def test_a_class_that_is_no_environment_is_named(path: str, said: str) -> None:
    with pytest.raises(LookupError, match=said):
        load_class(path)


def test_what_cannot_be_loaded_is_misuse_and_says_why() -> None:
    with pytest.raises(
        TargetError,
        match=r"the module 'tests' is not installed here|No module named 'tests\.zoo\.nothing'",
    ):
        connect(resolve("tests.zoo.nothing:Missing"), 1)


def test_a_folder_inside_that_is_an_environment_of_its_own_is_named(tmp_path: Path) -> None:
    (tmp_path / "openenv.yaml").write_text("name: outer\napp: app:app\n")
    (tmp_path / "app.py").write_text("app = None\n")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "openenv.yaml").write_text("name: inner\n")
    said = r"app\.py: it builds no app.*; inner has an openenv\.yaml of its own: give that folder"
    with pytest.raises(TargetError, match=said):
        connect(resolve(str(tmp_path)), 1)


def test_a_folder_whose_app_is_none(tmp_path: Path) -> None:
    (tmp_path / "openenv.yaml").write_text("name: empty\napp: app:app\n")
    (tmp_path / "app.py").write_text("app = None\n")
    with pytest.raises(TargetError, match=r"app\.py: it builds no app"):
        connect(resolve(str(tmp_path)), 1)
    (tmp_path / "app.py").write_text("import time\ntime.sleep(60)\n")
    with pytest.raises(EnvironmentTimeout, match="not loaded within 1 s"):
        connect(resolve(str(tmp_path)), 1, RolloutConfig(startup_s=1))


def test_slots_must_be_positive(gridworld: Path) -> None:
    with pytest.raises(Misuse, match="at least 1, not 0"):
        connect(resolve(str(gridworld)), 0)


def test_foreign_code_leaves_nothing_in_its_folder(rogues: WorkerConnection, rogue: Path) -> None:
    assert rogues.capacity == 4
    assert not list(rogue.rglob("__pycache__"))


def test_making_an_instance_is_part_of_the_start_and_not_of_a_step() -> None:
    connection = connect(resolve("tests.zoo.single:Sleeper"), 2, RolloutConfig(timeout_s=1))
    try:
        assert connection.describe().reset is not None
        assert connection.renew([0]) == {0: None}
        answers = connection.reset({0: {}, 1: {}})
        assert all(isinstance(answer, Transition) for answer in answers.values())
        assert isinstance(connection.step({1: {"add": 1}})[1], Transition)
    finally:
        connection.close()


@pytest.mark.parametrize("ask", ["describe", "renew", "reset"])
def test_a_first_instance_that_never_comes_names_the_flag(ask: str) -> None:
    connection = connect(resolve("tests.zoo.single:Stone"), 1, RolloutConfig(startup_s=4))
    asked = {"describe": (), "renew": ([0],), "reset": ({0: {}},)}[ask]
    with pytest.raises(
        EnvironmentTimeout, match=r"no instance of it within 4 s, and is at .*py:\d+; .*--startup-s"
    ):
        getattr(connection, ask)(*asked)
    connection.close()
