"""How tokens become logits: which forward a model gets, with factors and in 16 bit, and what is refused."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import pytest

pytest.importorskip("peft", reason="the train extra is not installed")

import torch
from peft import PromptTuningConfig, get_peft_model
from tests.models.tiny_models import (
    KINDS,
    chunks_of,
    decoder,
    generated,
    teacher_forced,
    tiny,
    tuned,
    with_factors,
)

from gonogo.errors import Misuse
from gonogo.models.forwards import LlamaForward, ModelForward, ModulesForward, forward_for
from gonogo.models.pretrained import check_decoding


def test_the_short_forward_refuses_what_it_does_not_cover() -> None:
    with pytest.raises(Misuse):
        LlamaForward(tiny("qwen2"), 64)
    with pytest.raises(Misuse):
        LlamaForward(tiny("llama", attention_bias=True), 64)
    assert isinstance(forward_for(tiny("llama", attention_bias=True), 64), ModelForward)


LORA_CASES = [
    ("llama", LlamaForward, {}),
    ("llama", ModelForward, {"use_dora": True}),
    ("qwen2", ModelForward, {}),
]


@pytest.mark.parametrize(("kind", "chosen", "extra"), LORA_CASES)
def test_adapters_take_part_and_keep_their_cache(
    kind: str, chosen: type, extra: dict[str, Any]
) -> None:
    model = with_factors(kind, **extra)
    forward = forward_for(model, 512)
    assert isinstance(forward, chosen)
    flying = decoder(forward)
    histories: dict[int, list[int]] = {row: [] for row in range(3)}
    for row in histories:
        flying.begin(row)
    for observations in chunks_of(np.random.default_rng(2), 3, 4):
        replies = flying.reply(dict(enumerate(observations)))
        assert model.training  # as it was
        model.eval()
        for row, history in histories.items():
            history += observations[row]
            assert list(replies[row].ids) == generated(model, history)
            forced = teacher_forced(model, history, replies[row])
            assert torch.allclose(forced, torch.tensor(replies[row].logprobs), atol=1e-4)
            with model.disable_adapter():
                plain = teacher_forced(model, history, replies[row])
            assert not torch.allclose(forced, plain, atol=1e-2)
            history += replies[row].ids
        model.train()


def test_a_learned_prompt_is_refused() -> None:
    prompt = PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=3)
    with pytest.raises(Misuse, match="inside the model's layers, not PROMPT_TUNING"):
        forward_for(get_peft_model(tiny(), prompt), 64)


@pytest.mark.parametrize("factored", [False, True])
def test_in_16_bit_the_short_forward_is_as_near_to_the_truth_as_the_models_own(
    factored: bool,
) -> None:
    half = with_factors("llama", bits=16) if factored else tiny().to(torch.bfloat16)
    truth = deepcopy(half).float().eval()
    assert isinstance(forward_for(half, 64), LlamaForward)
    errors: dict[type, list[float]] = {LlamaForward: [], ModelForward: []}
    for kind, found in errors.items():
        rng = np.random.default_rng(4)
        flying = decoder(kind(half, 64))  # type: ignore[call-arg]
        histories = {row: rng.integers(6, 96, 20).tolist() for row in range(32)}
        for row in histories:
            flying.begin(row)
        for row, reply in flying.reply(histories).items():
            forced = teacher_forced(truth, histories[row], reply)
            found += (forced - torch.tensor(reply.logprobs)).abs().tolist()
    assert np.mean(errors[LlamaForward]) < 1.2 * np.mean(errors[ModelForward]) < 0.1


def test_a_sliding_window_is_refused() -> None:
    model = tiny("qwen2", use_sliding_window=True, sliding_window=8, max_window_layers=1)
    with pytest.raises(Misuse, match="full attention"):
        ModelForward(model, 64)


@pytest.mark.parametrize("kind", KINDS)
def test_it_says_what_the_models_own_forward_says(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gonogo.models import pretrained

    model = tuned(kind)
    monkeypatch.setattr(pretrained, "ROUNDING", 1e-5)
    check_decoding(model, ModulesForward(model, 256))


def test_what_it_does_not_cover_is_refused() -> None:
    with pytest.raises(Misuse, match="this mistral is not"):
        ModulesForward(tuned("mistral", sliding_window=8), 256)


def test_sixteen_bits_drift_by_rounding_only() -> None:
    model = tuned("qwen2", torch.bfloat16)
    check_decoding(model, ModulesForward(model, 256))
