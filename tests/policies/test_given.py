"""Policies that a caller gives as objects: a function with a memory for each episode; one that stays its owner's."""

from __future__ import annotations

from typing import Any

import pytest

from gonogo.errors import PolicyFailure
from gonogo.policies.given import CallablePolicy, LentPolicy
from gonogo.rollouts.types import View

Json = dict[str, Any]


def count(observation: Json, memory: Json) -> Json:
    memory["turns"] = memory.get("turns", 0) + 1
    return {"turns": memory["turns"], "east": observation.pop("east")}


def view(east: int = 1) -> View:
    return View("", {"east": east}, {}, 0)


def test_each_episode_has_a_memory_of_its_own_that_goes_with_it() -> None:
    policy = CallablePolicy("count", count)
    policy.begin([0, 1])
    seen = view(5)
    assert policy.act({0: seen})[0].action == {"turns": 1, "east": 5}
    assert seen.observation == {"east": 5}  # the function was given a copy
    replies = policy.act({0: view(), 1: view()})
    assert [replies[slot].action for slot in (0, 1)] == [
        {"turns": 2, "east": 1},
        {"turns": 1, "east": 1},
    ]
    policy.end([0])
    policy.begin([0])
    assert policy.act({0: view(2)})[0].action == {"turns": 1, "east": 2}


@pytest.mark.parametrize("said", [None, "north", [1], "x" * 5000])
def test_what_is_no_action_is_the_policys_failure(said: Any) -> None:
    policy = CallablePolicy("odd", lambda observation, memory: said)
    policy.begin([0])
    with pytest.raises(PolicyFailure, match="policy odd must answer an action, not") as caught:
        policy.act({0: view()})
    assert len(str(caught.value)) < 300


def test_what_a_function_raises_is_its_callers_to_see() -> None:
    def fail(observation: Json, memory: Json) -> Json:
        raise LookupError("no map")

    policy = CallablePolicy("lost", fail)
    policy.begin([0])
    with pytest.raises(LookupError, match="no map"):
        policy.act({0: view()})


class Closable(CallablePolicy):
    """One that knows whether it was closed."""

    closed = False

    def close(self) -> None:
        self.closed = True


def test_a_lent_policy_flies_as_its_own_and_is_not_closed() -> None:
    own = Closable("count", count)
    lent = LentPolicy(own.name, own)
    assert lent.name == "count"
    lent.begin([0])
    assert lent.act({0: view(3)})[0].action == {"turns": 1, "east": 3}
    lent.end([0])
    with pytest.raises(KeyError):
        own.act({0: view()})
    lent.close()
    assert not own.closed
