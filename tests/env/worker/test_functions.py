"""A stranger's functions, asked over JSON lines: what they answer, what is wrong with it, what they are given."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from typing import Any

import pytest

from gonogo.env.worker.functions import (
    FROM_TRL,
    BrokenRewards,
    load,
    rewards_of,
    serve_policy,
    serve_rewards,
    taken_of,
)

Json = dict[str, Any]


def lines(*said: Json) -> io.StringIO:
    return io.StringIO("".join(f"{json.dumps(each)}\n" for each in said))


def answered(answers: io.StringIO) -> list[Json]:
    return [json.loads(line) for line in answers.getvalue().splitlines()]


def test_a_function_is_loaded_by_its_path() -> None:
    assert load("os.path:join") is os.path.join
    with pytest.raises(AttributeError):
        load("os:no_such_function")
    with pytest.raises(ImportError):
        load("no_such_module:function")


def test_a_policy_has_a_memory_for_each_episode_until_its_end() -> None:
    def count(observation: Json, memory: Json) -> Json:
        memory["turns"] = memory.get("turns", 0) + 1
        return {"turns": memory["turns"], "seen": observation["x"]}

    def seen(episode: str, x: int) -> Json:
        return {"type": "observe", "episode": episode, "observation": {"x": x}}

    answers = io.StringIO()
    end = {"type": "end", "episode": "a"}
    serve_policy(count, lines(seen("a", 1), seen("b", 2), seen("a", 3), end, seen("a", 4)), answers)
    assert answered(answers) == [
        {"episode": "a", "action": {"turns": 1, "seen": 1}},
        {"episode": "b", "action": {"turns": 1, "seen": 2}},
        {"episode": "a", "action": {"turns": 2, "seen": 3}},
        {"episode": "a", "action": {"turns": 1, "seen": 4}},
    ]


def test_each_reward_function_answers_for_the_batch() -> None:
    def length(completions: list[str], **_: Any) -> list[float]:
        return [len(text) for text in completions]

    def first(completions: list[str]) -> list[float | None]:
        return [1.0, None]

    answers = io.StringIO()
    serve_rewards(
        {"m:length": length, "m:first": first}, lines({"completions": ["a", "bc"]}), answers
    )
    assert answered(answers) == [{"m:length": [1.0, 2.0], "m:first": [1.0, None]}]


def test_what_is_wrong_with_a_reward_function_is_said_and_the_next_batch_is_answered(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def pay(text: str) -> Any:
        if text == "raise":
            raise LookupError("no such word")
        return text

    def well(text: str) -> list[float]:
        return [0.5]

    answers = io.StringIO()
    asked = lines({"text": "raise"}, {"text": "5"})
    serve_rewards({"m:well": well, "m:pay": pay}, asked, answers)
    raised, broken = answered(answers)
    assert raised == {"raised": "m:pay raised LookupError: no such word"}
    assert broken == {"error": "m:pay must answer a list with a number for each episode, not '5'"}
    assert "LookupError" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ({"a": 1}, "a list with a number for each episode"),
        (None, "a list with a number for each episode"),
        (["x"], "must answer numbers, not 'x'"),
        ([10**400], "must answer numbers, not 1000"),
    ],
)
def test_what_is_no_list_of_numbers_is_refused_with_the_value(said: Any, rule: str) -> None:
    with pytest.raises(BrokenRewards, match=rule) as caught:
        rewards_of(lambda: said, {})
    assert len(str(caught.value)) < 300


def test_numbers_may_be_awaited_or_come_one_after_the_other() -> None:
    async def later(n: int) -> list[int]:
        return [n]

    def each(n: int) -> Iterator[bool]:
        yield n > 0
        yield False

    assert rewards_of(later, {"n": 3}) == [3.0]
    assert rewards_of(each, {"n": 3}) == [1.0, 0.0]


def test_a_function_is_given_of_trls_what_it_takes() -> None:
    def none(completions: list[str]) -> None: ...
    def one(completions: list[str], log_metric: Any) -> None: ...
    def all_of_it(**given: Any) -> None: ...

    assert taken_of(FROM_TRL, none) == {}
    assert taken_of(FROM_TRL, one) == {"log_metric": FROM_TRL["log_metric"]}
    assert taken_of(FROM_TRL, all_of_it) == FROM_TRL
