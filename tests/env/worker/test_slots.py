"""An id that a reset asked for tells its episode from the one before; one that all episodes share does not."""

from __future__ import annotations

import pytest

from gonogo.env.worker.slots import Slots
from gonogo.rollouts.types import Failure
from gonogo.wire import JsonObject as Json

ANSWER: Json = {"observation": {}, "reward": 0.0, "done": False}


@pytest.mark.parametrize(("asked", "lost"), [("same", False), (None, True), ("other", True)])
def test_a_count_that_stands_still_at_one(asked: str | None, lost: bool) -> None:
    slots = Slots()
    for _ in range(2):
        slots.began(0, {**ANSWER, "observation": {}}, ("same", 0), asked)
    slots.stepped(0, {**ANSWER, "observation": {}}, ("same", 1))
    answer = slots.stepped(0, {**ANSWER, "observation": {}}, ("same", 1))
    assert isinstance(answer, Failure) is lost
