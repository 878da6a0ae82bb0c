"""Memory from a shape: against tensors that are really there, and by hand."""

from __future__ import annotations

from typing import Any

import pytest

from gonogo.config import Architecture, load_candidates
from gonogo.models import memory

SHAPE = Architecture(
    layers=2, hidden=32, heads=4, kv_heads=2, head_width=8, intermediate=48, vocabulary=300, tied=True
)  # fmt: skip


def test_a_real_model_has_as_many_weights_and_lora_as_many_more() -> None:
    pytest.importorskip("torch")
    from peft import LoraConfig, get_peft_model
    from transformers import LlamaConfig, LlamaForCausalLM

    model = LlamaForCausalLM(
        LlamaConfig(
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            intermediate_size=48,
            vocab_size=300,
            tie_word_embeddings=True,
        )
    )
    assert sum(weight.numel() for weight in model.parameters()) == SHAPE.parameters
    tuned = get_peft_model(model, LoraConfig(r=4, target_modules="all-linear"))
    trained = sum(weight.numel() for weight in tuned.parameters() if weight.requires_grad)
    assert trained == memory.lora_parameters(SHAPE, rank=4)


def test_the_cache_is_that_of_the_decoder() -> None:
    torch = pytest.importorskip("torch")
    from gonogo.models.decoder import COLUMNS, RowCache

    cache = RowCache(
        SHAPE.layers, SHAPE.kv_heads, SHAPE.head_width, torch.float16, torch.device("cpu")
    )
    cache.reserve(1, COLUMNS)
    held = sum(t.numel() * t.element_size() for t in (*cache.keys, *cache.values))
    assert held == memory.cache_bytes(SHAPE, COLUMNS)


def test_four_bits_are_for_the_linear_layers_only() -> None:
    rest = SHAPE.parameters - SHAPE.linear_parameters
    assert memory.weights_bytes(SHAPE, 16) == 2 * SHAPE.parameters
    assert memory.weights_bytes(SHAPE, 4) == pytest.approx(
        SHAPE.linear_parameters * 4.127 / 8 + 2 * rest
    )


def test_a_longer_episode_takes_more_and_training_more_than_flying() -> None:
    for candidate in load_candidates():
        assert candidate.architecture is not None
        shape = candidate.architecture
        short, long = (memory.needs(shape, n, 1, 16, on_cpu=False) for n in (1000, 8000))
        assert all(long[use] > short[use] for use in short)
        cpu = memory.needs(shape, 1000, 1, 16, on_cpu=True)
        assert cpu["inference_16bit_gb"] == short["inference_16bit_gb"]
        assert cpu["lora_16bit_gb"] > short["lora_16bit_gb"]
        assert short["lora_4bit_gb"] > short["inference_4bit_gb"]
        assert short["lora_16bit_gb"] > short["lora_4bit_gb"]


def test_all_weights_in_training_take_sixteen_bytes_each_and_lora_its_factors_alone() -> None:
    assert memory.training_bytes(SHAPE, 32, 0, 1, None) == 16 * SHAPE.parameters
    frozen = memory.training_bytes(SHAPE, 32, 0, 1, 4)
    assert frozen == 4 * SHAPE.parameters + 16 * memory.lora_parameters(SHAPE, 4)


def test_checkpointing_and_fewer_logits_take_less() -> None:
    whole = memory.training_bytes(SHAPE, 16, 1000, 2, 4, checkpointing=False)
    less = memory.training_bytes(SHAPE, 16, 1000, 2, 4)
    assert less < whole
    assert memory.training_bytes(SHAPE, 16, 1000, 2, 4, said=100) < less
    assert memory.training_bytes(SHAPE, 32, 1000, 2, 4) > less


@pytest.mark.parametrize("rank", [4, None], ids=["lora", "all-weights"])
@pytest.mark.parametrize("bits", [32, 16])
@pytest.mark.parametrize("head_norms", [False, True], ids=["llama", "qwen3"])
def test_autograd_keeps_what_is_counted(head_norms: bool, bits: int, rank: int | None) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("trl", reason="the train extra is not installed")
    from transformers import LlamaConfig, LlamaForCausalLM, Qwen3Config, Qwen3ForCausalLM

    from gonogo.config import LoraConfig
    from gonogo.models.pretrained import attach
    from gonogo.training.sft import imitation_loss

    tokens = 64
    shape = Architecture(
        layers=1, hidden=32, heads=4, kv_heads=2, head_width=8, intermediate=80, vocabulary=300, tied=True,
        head_norms=head_norms,
    )  # fmt: skip

    def kept(layers: int) -> int:
        """Bytes that autograd keeps, without the model's own."""
        config, kind = (
            (Qwen3Config, Qwen3ForCausalLM) if head_norms else (LlamaConfig, LlamaForCausalLM)
        )
        model: Any = kind(
            config(
                hidden_size=32,
                num_hidden_layers=layers,
                num_attention_heads=4,
                num_key_value_heads=2,
                head_dim=8,
                intermediate_size=80,
                vocab_size=300,
            )
        ).to(torch.float32 if bits == 32 else torch.bfloat16)
        if rank is not None:
            model = attach(model, LoraConfig(rank=rank, alpha=8), 0)
        own = {
            each.untyped_storage().data_ptr() for each in (*model.parameters(), *model.buffers())
        }
        found: dict[int, Any] = {}

        def keep(tensor: Any) -> Any:
            found[tensor.untyped_storage().data_ptr()] = tensor
            return tensor

        ids = torch.arange(tokens)[None]
        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            imitation_loss(model, model, ids, ids, pad=0)
        return sum(each.untyped_storage().nbytes() for at, each in found.items() if at not in own)

    block = (kept(3) - kept(1)) / 2
    assert block / tokens == pytest.approx(memory.activation_bytes(shape, bits, rank))
