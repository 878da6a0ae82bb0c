"""The shapes in which strangers answer, read as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy
import pytest
from pydantic import BaseModel, ValidationError

from gonogo.env.worker.shapes import SchemaForm, form_of, make_answer, make_served, read


class Seen(BaseModel):
    board: list[int] = [1]


@dataclass
class Step:
    observation: Seen
    reward: float
    done: bool


@dataclass
class Pay:
    value: float
    done: bool


@pytest.mark.parametrize(
    ("told", "observation", "reward", "done", "info"),
    [
        ({"observation": {"a": 1}, "reward": 2, "done": True}, {"a": 1}, 2, True, {}),
        ({"obs": "text", "reward": 0.5}, {"observation": "text"}, 0.5, False, {}),
        (
            {"state": {"a": 1}, "reward": 1, "done": False},
            {"state": {"a": 1}}["state"],
            1,
            False,
            {},
        ),
        ({"board": 3, "note": "x"}, {"board": 3, "note": "x"}, None, False, {}),
        (
            {"data": {"observation": {"a": 1}, "done": True}, "ok": 1},
            {"a": 1},
            None,
            True,
            {"ok": 1},
        ),
        (
            {"observation": {}, "reward": {"value": 0.25, "why": "w"}},
            {},
            0.25,
            False,
            {"reward": {"value": 0.25, "why": "w"}},
        ),
        (
            (Seen(), Pay(1.0, True)),
            {"board": [1]},
            1.0,
            True,
            {"reward": {"value": 1.0, "done": True}},
        ),
        ({"observation": {"done": True, "reward": 3}}, {"done": True, "reward": 3}, 3, True, {}),
        ((Seen(), 1.0, True, {"k": 1}), {"board": [1]}, 1.0, True, {"k": 1}),
        ((Seen(), {"k": 1}), {"board": [1]}, None, False, {"k": 1}),
        (
            (numpy.zeros(2), numpy.float64(1), False, True, {}),
            {"observation": [0.0, 0.0]},
            1.0,
            True,
            {},
        ),
        (Step(Seen(), 0.5, False), {"board": [1]}, 0.5, False, {}),
        (
            {"observation": {}, "score": 0.75, "info": {"s": 1}},
            {},
            None,
            False,
            {"score": 0.75, "s": 1},
        ),
    ],
)
def test_an_answer_is_read_in_every_shape(
    told: Any, observation: Any, reward: Any, done: bool, info: Any
) -> None:
    assert read(told) == (observation, reward, done, info)


def test_an_answer_is_an_observation_with_any_fields() -> None:
    answer = make_answer(
        {"observation": {"a": 1, "metadata": {"m": 1}}, "reward": 1, "info": {"i": 2}}
    )
    assert (answer.a, answer.reward, answer.done, answer.metadata) == (
        1,
        1,
        False,
        {"m": 1, "i": 2},
    )
    assert answer.model_copy(update={"reward": 2}).reward == 2


def test_a_form_checks_and_gives_what_it_was_given() -> None:
    class Move(BaseModel):
        to: int

    form = form_of(Move, "Action")
    assert isinstance(form, SchemaForm)
    sent = form.model_validate({"to": 3, "other": 1})
    assert (sent.to, sent["other"]) == (3, 1)
    with pytest.raises(ValidationError):
        form.model_validate({"to": "x"})
    assert form_of(int, "Action") is None


def test_what_openenvs_server_sends_as_the_observation_stays_there() -> None:
    class Seen(BaseModel):
        text: str
        info: dict[str, int]
        reward: float = 0.5
        done: bool = True

    served = make_served(Seen(text="a", info={"left": 2}))
    assert (served.text, served.info, served.reward, served.done) == ("a", {"left": 2}, 0.5, True)
    assert served.metadata == {}
    assert make_served(({"a": 1}, 1.0, False, {"i": 2})).metadata == {"i": 2}  # no model
