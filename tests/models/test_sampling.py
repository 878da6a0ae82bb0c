"""What says a model's replies is held against the model: rounding where it is the model, far off where it is not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

import torch
from tests.models.tiny_models import tiny, with_factors

from gonogo.errors import PolicyFailure
from gonogo.models.decoder import Decoder
from gonogo.models.forwards import forward_for
from gonogo.models.sampling import CHECK_TOKENS, ROUNDING, drift_of


def replies_of(model: Any, temperature: float | None = None) -> Decoder:
    return Decoder(
        forward_for(model, 256),
        stop=-1,
        pad=0,
        max_new_tokens=CHECK_TOKENS,
        temperature=temperature,
    )


@pytest.mark.parametrize("temperature", [None, 0.7])
def test_the_models_own_replies_drift_by_rounding_alone(temperature: float | None) -> None:
    model = tiny()
    assert drift_of(model, replies_of(model, temperature), temperature) < 1e-5


def test_another_temperature_or_other_weights_are_far_off() -> None:
    model, other = tiny(), tiny()
    assert drift_of(model, replies_of(model, 0.5), 2.0) > ROUNDING
    with torch.no_grad():
        for weight in other.parameters():
            weight.mul_(1.3)
    assert drift_of(model, replies_of(other)) > ROUNDING


def test_a_model_in_training_is_left_in_training_and_its_slot_is_free() -> None:
    model = with_factors("llama")
    assert model.training
    replies = replies_of(model)
    assert drift_of(model, replies) < 1e-5  # its dropout has no part in it
    assert model.training
    assert drift_of(model, replies) < 1e-5


class Silent:
    """Gives no reply."""

    most = None

    def __init__(self) -> None:
        self.ended: list[int] = []

    def begin(self, slot: int, stream: np.random.Generator | None = None) -> None:
        pass

    def end(self, slots: Iterable[int]) -> None:
        self.ended += slots

    def room(self, slot: int, chunk: int) -> bool:
        return True

    def reply(self, chunks: Mapping[int, Sequence[int]]) -> dict[int, PolicyFailure]:
        return {slot: PolicyFailure("nobody there") for slot in chunks}


def test_no_reply_is_no_drift_but_a_failure() -> None:
    model, silent = tiny(), Silent()
    with pytest.raises(PolicyFailure, match="nobody there"):
        drift_of(model, silent)
    assert silent.ended == [0]
