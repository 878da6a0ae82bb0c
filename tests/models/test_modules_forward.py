"""The forward by linear layers: what a model's own forward says, with LoRA and with every kind of relative."""

from __future__ import annotations

import pytest

pytest.importorskip("peft", reason="the train extra is not installed")

import torch
from tests.models.tiny_models import KINDS, tuned

from gonogo.errors import Misuse
from gonogo.models.modules_forward import ModulesForward
from gonogo.models.unsloth import check_decoding


@pytest.mark.parametrize("kind", KINDS)
def test_it_says_what_the_models_own_forward_says(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gonogo.models import unsloth as unsloth_models

    model = tuned(kind)
    monkeypatch.setattr(unsloth_models, "ROUNDING", 1e-5)
    check_decoding(model, ModulesForward(model, 256))


def test_what_it_does_not_cover_is_refused() -> None:
    with pytest.raises(Misuse, match="this mistral is not"):
        ModulesForward(tuned("mistral", sliding_window=8), 256)


def test_sixteen_bits_drift_by_rounding_only() -> None:
    model = tuned("qwen2", torch.bfloat16)
    check_decoding(model, ModulesForward(model, 256))
