"""Unsloth's models: known by their patched forward, and refused where the decoder does not say what they compute."""

from __future__ import annotations

import pytest

pytest.importorskip("peft", reason="the train extra is not installed")

from tests.models.tiny_models import tuned

from gonogo.errors import PolicyFailure
from gonogo.models.forwards import LlamaForward, ModelForward, forward_for
from gonogo.models.modules_forward import ModulesForward
from gonogo.models.unsloth import check_decoding, is_patched


def test_a_forward_that_leaves_the_factors_out_is_noticed() -> None:
    model = tuned("llama")
    with model.disable_adapter():
        plain = tuned("llama").unload()
    with pytest.raises(PolicyFailure, match=r"disagree by .*set model.loader to transformers"):
        check_decoding(model, ModelForward(plain, 256))


def test_it_is_chosen_where_unsloth_has_patched_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    model = tuned("llama")
    assert isinstance(forward_for(model, 64), LlamaForward)
    monkeypatch.setattr(type(model.get_base_model().model).forward, "__module__", "unsloth.models")
    assert isinstance(forward_for(model, 64), ModulesForward)


def test_unsloths_models_are_known_by_their_forward(monkeypatch: pytest.MonkeyPatch) -> None:
    model = tuned("llama").unload()
    assert not is_patched(model)
    monkeypatch.setattr(type(model.model).forward, "__module__", "unsloth.models.llama")
    assert is_patched(model)


def test_a_decoder_that_says_what_the_model_computes_passes() -> None:
    model = tuned("qwen3")
    check_decoding(model, forward_for(model, 256))
