"""A pretrained chat model with LoRA: attached from a seed, trained by SFT and GRPO, saved as factors, found again."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

import torch
from peft import PromptTuningConfig, get_peft_model
from tests.models.tiny_models import tiny, tuned, with_factors
from tests.training.reloading import difference
from tests.training.small_trainings import (
    chat_folder,
    factors,
)

from gonogo.config import LoraConfig, ModelConfig
from gonogo.errors import MissingExtra, MissingRecord, Misuse, PolicyFailure
from gonogo.models import saved as models
from gonogo.models.forwards import (
    LlamaForward,
    ModelForward,
    ModulesForward,
    forward_for,
    inner,
    is_patched,
)
from gonogo.models.pretrained import (
    attach,
    cast,
    check_decoding,
    check_targets,
    load_gguf,
    load_gguf_tokenizer,
    load_trainable,
    load_whole,
    plain,
    reattach,
)
from gonogo.wire import JsonObject as Json

LORA = LoraConfig(rank=4, alpha=8)


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_saved_adapter_comes_back_to_the_same_logits(
    precision: str, chat: Path, tmp_path: Path, told: str
) -> None:
    config = ModelConfig.model_validate(
        {"pretrained": str(chat), "precision": precision, "lora": LORA}
    )
    speaker = load_trainable(config, told, 1)
    ids = torch.arange(40)[None]
    plain = load_whole(chat, dtype=inner(speaker.model).dtype)
    with torch.no_grad():
        assert torch.equal(speaker.model(ids).logits, plain(ids).logits)  # nothing is learned yet
        for name, weight in speaker.model.named_parameters():
            if "lora_B" in name:
                weight.normal_(generator=torch.Generator().manual_seed(3))
        assert not torch.equal(speaker.model(ids).logits, plain(ids).logits)
    models.save(speaker, tmp_path / "m")
    assert difference(speaker, tmp_path / "m") == 0.0
    other = load_trainable(config, told, 2)
    assert not all(torch.equal(w, factors(other)[n]) for n, w in factors(speaker).items())


@pytest.mark.parametrize(
    ("spoil", "model", "said"),
    [
        ({"chat_template": None}, {}, "chat: the tokenizer has no chat template"),
        ({"pad_token": "<|end|>"}, {}, "model.pad_token"),
        ({}, {"pad_token": "<|no|>"}, r"model.pad_token must be a token of .*, not '<\|no\|>'"),
        ({}, {"context": 5000}, "model.context must be at most 4096, .*, not 5000"),
        ({}, {"lora": {"targets": ["q_proj", "w1"]}}, "targets must name layers .* no w1"),
    ],
    ids=["no template", "pad is end", "no such pad", "context", "targets"],
)
def test_a_model_that_cannot_carry_an_episode_says_why(
    spoil: Json, model: Json, said: str, tmp_path: Path, told: str
) -> None:
    folder = chat_folder(tmp_path / "chat", **spoil)
    config = ModelConfig.model_validate_json(json.dumps({"pretrained": str(folder), **model}))
    with pytest.raises(Misuse, match=said):
        load_trainable(config, told, 1)


def test_another_pad_token_mends_a_tokenizer_that_pads_with_its_end(
    tmp_path: Path, told: str
) -> None:
    folder = chat_folder(tmp_path / "chat", pad_token="<|end|>")
    speaker = load_trainable(ModelConfig(pretrained=str(folder), pad_token="<|pad|>"), told, 1)
    assert speaker.turns.pad == speaker.tokenizer.pad_token_id != speaker.turns.end


def test_what_is_no_model_is_a_failure_with_its_reason(tmp_path: Path, told: str) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(Misuse, match=r"no model\.safetensors"):
        load_trainable(ModelConfig(pretrained=str(tmp_path)), told, 1)
    (tmp_path / "model.safetensors").write_bytes(b"no tensors")
    with pytest.raises(PolicyFailure, match="cannot be loaded"):
        load_trainable(ModelConfig(pretrained=str(tmp_path)), told, 1)


def test_memory_that_runs_out_while_a_model_is_loaded_is_no_broken_model(
    chat: Path, monkeypatch: pytest.MonkeyPatch, told: str
) -> None:
    def full(*_: Any, **__: Any) -> None:
        torch.empty(2**60, dtype=torch.uint8)

    monkeypatch.setattr("gonogo.models.pretrained.load_whole", full)
    with pytest.raises(RuntimeError, match="DefaultCPUAllocator"):
        load_trainable(ModelConfig(pretrained=str(chat)), told, 0)


def test_weights_in_16_bit_keep_the_frequencies_of_their_positions(tmp_path: Path) -> None:
    """A GGUF file's are cast after they are read: what its model says far into an episode is what it would say."""
    folder = chat_folder(tmp_path / "chat")
    wanted = load_whole(folder, torch.bfloat16)
    found = cast(load_whole(folder), torch.bfloat16)
    ids = torch.arange(3000)[None] % 200
    with torch.no_grad():
        assert torch.equal(found(ids).logits, wanted(ids).logits)
    assert found.dtype == torch.bfloat16
    assert {weight.dtype for weight in found.parameters()} == {torch.bfloat16}


def test_factors_follow_the_seed_and_the_global_state_stays(chat: Path, told: str) -> None:
    config = ModelConfig(pretrained=str(chat), lora=LORA)
    before = torch.random.get_rng_state()
    first, again = (factors(load_trainable(config, told, 1)) for _ in range(2))
    assert torch.equal(torch.random.get_rng_state(), before)
    assert all(torch.equal(first[name], again[name]) for name in first)


def test_an_adapter_of_another_model_is_refused(chat: Path, tmp_path: Path, told: str) -> None:
    speaker = load_trainable(ModelConfig(pretrained=str(chat), lora=LORA), told, 1)
    models.save(speaker, tmp_path / "m")
    wide = models.make(
        ModelConfig(hidden=64, intermediate=48, layers=2, heads=2), speaker.tokenizer, 1
    )
    wide.model.save_pretrained(tmp_path / "other")
    speaker.tokenizer.save_pretrained(tmp_path / "other")
    card = tmp_path / "m" / "gonogo_model.json"
    card.write_text(card.read_text().replace(str(chat), str(tmp_path / "other")))
    with pytest.raises(MissingRecord, match="no adapter for this model"):
        models.load(tmp_path / "m")


def test_new_factors_change_nothing_and_all_else_is_frozen() -> None:
    model = tiny()
    ids = torch.arange(6, 20)[None]
    with torch.no_grad():
        before = model(ids).logits
        made = attach(model, LoraConfig(rank=2, alpha=4, targets=("q_proj",)), 1).eval()
        assert torch.equal(made(ids).logits, before)
    learns = [name for name, weight in made.named_parameters() if weight.requires_grad]
    assert learns and all("q_proj.lora_" in name for name in learns)


def test_a_target_that_is_no_layer_is_refused() -> None:
    check_targets(tiny(), LoraConfig())
    with pytest.raises(Misuse, match=r"it has no w1, w2$"):
        check_targets(tiny(), LoraConfig(targets=("q_proj", "w1", "w2")))


def test_the_model_inside_is_transformers_own() -> None:
    plain, factored = tiny(), with_factors("llama")
    assert inner(plain) is plain
    assert type(inner(factored)) is type(plain)
    prompt = PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=3)
    with pytest.raises(Misuse, match="not PROMPT_TUNING"):
        inner(get_peft_model(plain, prompt))


def test_a_folder_without_factors_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingRecord, match="no adapter for this model"):
        reattach(tiny(), tmp_path)


def test_the_same_weights_can_be_saved_once_the_file_is_forgotten(tmp_path: Path) -> None:
    model = tiny()
    model.config.quantization_config = {"quant_method": "gguf", "bits": 4}
    state = torch.random.get_rng_state()
    found = plain(model)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert not hasattr(found.config, "quantization_config") and not found.training
    found.save_pretrained(tmp_path)
    ids = torch.arange(6, 20)[None]
    with torch.no_grad():
        assert torch.equal(load_whole(tmp_path)(ids).logits, model(ids).logits)


@pytest.mark.skipif(find_spec("gguf") is not None, reason="gguf is installed")
def test_without_its_package_a_file_names_the_extra(tmp_path: Path) -> None:
    file = tmp_path / "some.gguf"
    file.write_bytes(b"GGUF")
    with pytest.raises(MissingExtra, match=r"gonogo\[gguf\]"):
        load_gguf(file, None)
    with pytest.raises(MissingExtra, match=r"gonogo\[gguf\]"):
        load_gguf_tokenizer(file)


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
