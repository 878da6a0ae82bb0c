"""A model's shape, as transformers' configs say it, and what it takes of a machine's memory, to fly and to be trained.

Formulas, no measurements: a gradient that is on its way and buffers of a framework come on top, for which
:data:`OVERHEAD` leaves room, on a CPU with :func:`heap_bytes`. ``benchmarks/memory.py`` holds them against what a
training really takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gonogo.config import Architecture, CandidateModel, ModelConfig
from gonogo.errors import MissingExtra, PolicyFailure

GB = 1e9
NF4_BITS = 4.127
"""Bits of a weight in NF4 with double quantisation: 4, and 8/64 + 32/(64 x 256) for its block's constants.

Source: T. Dettmers et al., "QLoRA: Efficient Finetuning of Quantized LLMs", arXiv:2305.14314, section 3."""
ADAM_BYTES = 16
"""Bytes of each trained weight: itself, its gradient and Adam's two moments, all in fp32.

Source: S. Rajbhandari et al., "ZeRO", arXiv:1910.02054, section 3.1, where mixed precision comes to the same 16."""
LOGIT_BYTES = 8
"""Bytes of each logit in a loss: itself and its gradient in fp32."""
SPOKEN_LOGIT_BYTES = 26
"""Bytes of each logit in our own losses: as the head gives it at 16 bit, and in fp32 itself, by the temperature, its
log-probability, that one's exponential, their product for the entropy, and the gradient. Counted in the code."""
PROGRAM_BYTES = 0.5e9
"""A process that has imported all that trains, before any weight; as ``benchmarks/memory.py`` finds it on a CPU."""
OVERHEAD = 1.1
"""What a machine needs beyond the formulas; a round figure, not a measurement."""
HEAP = 0.8
"""Of the activations of all blocks, also where they are computed again: what glibc keeps of them, as gaps between freed
tensors of many sizes. Measured, by ``benchmarks/memory.py``, which also says what giving it back at once would take:
less memory, and more time than it is worth."""


def number_bytes(bits: int) -> int:
    """Bytes of a number that is not quantised: 4 at 32 bit, else 2."""
    return 4 if bits == 32 else 2


def weights_bytes(shape: Architecture, bits: int) -> float:
    """Weights at 32 or 16 bit, or with the blocks' linear layers in NF4 and everything else at 16 bit."""
    if bits != 4:
        return float(number_bytes(bits) * shape.parameters)
    linear = shape.linear_parameters
    return linear * NF4_BITS / 8 + 2.0 * (shape.parameters - linear)


def cache_bytes(shape: Architecture, tokens: int, bits: int = 16) -> float:
    """Keys and values of so many tokens in all layers.

    Source:
        R. Pope et al., "Efficiently Scaling Transformer Inference", arXiv:2211.05102, section 3.3:
        2 (key and value) x layers x key-value heads x head width x bytes, for each token.
    """
    return 2.0 * shape.layers * shape.kv_heads * shape.head_width * number_bytes(bits) * tokens


def lora_parameters(shape: Architecture, rank: int) -> int:
    """Weights of LoRA's two factors on each of the blocks' linear layers.

    Source:
        E. Hu et al., "LoRA", arXiv:2106.09685, section 4.1: rank x (inputs + outputs) for each matrix.
    """
    return shape.layers * sum(rank * (inputs + outputs) for inputs, outputs in shape.projections())


def inference_bytes(shape: Architecture, bits: int, tokens: int, batch: int) -> float:
    """To fly ``batch`` episodes of ``tokens`` at once: weights and cache."""
    return weights_bytes(shape, bits) + batch * cache_bytes(shape, tokens, bits)


def activation_bytes(shape: Architecture, bits: int, rank: int | None) -> float:
    """What autograd keeps of one token in one block, with attention that is computed in tiles.

    Counted in transformers' Llama, Qwen2 and Qwen3 and in PEFT's layers, and held against what autograd keeps of
    them (``tests/models/test_memory.py``): both norms' inputs; queries, keys, values and the attention's output;
    the three numbers of the gated feed-forward; and what the linear layers were given, for the gradient of what is
    trained in them. Norms and factors are fp32, so that at 16 bit they keep copies of their own.

    Args:
        shape: The model's.
        bits: Of activations: 32, else they are 16.
        rank: Of LoRA on every projection; None where all weights are trained.
    """
    number, hidden, inner = number_bytes(bits), shape.hidden, shape.intermediate
    queries, pairs = shape.heads * shape.head_width, shape.kv_heads * shape.head_width
    normed = shape.heads + shape.kv_heads if shape.head_norms else 0
    kept = number * (2 * queries + 2 * pairs + 3 * inner)
    kept += 4 * (2 * hidden + normed * shape.head_width)  # what is normalised
    kept += 4 * (2 + normed + shape.heads)  # its root mean squares, and the attention's log-sums
    if rank is None:  # the norms' weights are trained too
        return kept + number * (4 * hidden + inner + normed * shape.head_width)
    given = 2 * hidden + inner if bits == 32 else 5 * hidden + queries + inner
    return kept + 4 * (given + len(shape.projections()) * rank)


def training_bytes(
    shape: Architecture,
    bits: int,
    tokens: int,
    batch: int,
    rank: int | None,
    *,
    checkpointing: bool = True,
    said: int | None = None,
) -> float:
    """To train on ``batch`` episodes of ``tokens`` in one pass.

    What is trained, with gradient and Adam's moments: LoRA's factors beside frozen weights, or all weights. The
    activations: with checkpointing the input of every block and those of the one that is computed again, else those
    of every block. The logits with their gradient: of all tokens, or of those alone that the model said.

    Args:
        shape: The model's.
        bits: Of frozen weights and of activations; what is trained is fp32.
        tokens: Of an episode.
        batch: Episodes in one forward and backward pass.
        rank: Of LoRA on every projection; None where all weights are trained.
        checkpointing: Whether activations are computed again instead of kept.
        said: Tokens of an episode that the model said, for a loss that computes no other logits; None for any loss.

    Source:
        T. Chen et al., "Training Deep Nets with Sublinear Memory Cost", arXiv:1604.06174, for what checkpointing
        keeps; the sources of the constants for the rest.
    """
    block = activation_bytes(shape, bits, rank)
    inputs = number_bytes(bits) * shape.hidden * shape.layers
    kept = inputs + block if checkpointing else block * shape.layers
    logits = tokens * LOGIT_BYTES if said is None else said * SPOKEN_LOGIT_BYTES
    if rank is None:
        weights = float(ADAM_BYTES * shape.parameters)
    else:
        weights = weights_bytes(shape, bits) + ADAM_BYTES * lora_parameters(shape, rank)
    return weights + float(batch * (tokens * kept + logits * shape.vocabulary))


def heap_bytes(shape: Architecture, bits: int, tokens: int, batch: int, rank: int | None) -> float:
    """What the C library keeps of a CPU's memory beside what :func:`training_bytes` counts; arguments as there."""
    return HEAP * batch * tokens * shape.layers * activation_bytes(shape, bits, rank)


def needs(
    shape: Architecture, tokens: int, batch: int, rank: int, *, on_cpu: bool
) -> dict[str, float]:
    """GB of memory to fly and to train by LoRA at 4 and at 16 bit, with what comes on top on such a machine."""
    said = {}
    for bits in (4, 16):
        flying = inference_bytes(shape, bits, tokens, batch)
        training = training_bytes(shape, bits, tokens, batch, rank)
        heap = heap_bytes(shape, bits, tokens, batch, rank) if on_cpu else 0.0
        said[f"inference_{bits}bit_gb"] = round(OVERHEAD * flying / GB, 3)
        said[f"lora_{bits}bit_gb"] = round((OVERHEAD * training + heap) / GB, 3)
    return said


KNOWN = frozenset({"llama", "mistral", "qwen2", "qwen3"})


def read_config(folder: Path) -> Any:
    """A folder's ``config.json``, as transformers reads it."""
    from transformers import AutoConfig

    return AutoConfig.from_pretrained(folder)


def shape_of(config: Any) -> Architecture | None:
    """A model's shape; None for a kind of model that the formulas are not about."""
    if getattr(config, "model_type", None) not in KNOWN:
        return None
    width = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    return Architecture(
        layers=config.num_hidden_layers,
        hidden=config.hidden_size,
        heads=config.num_attention_heads,
        kv_heads=config.num_key_value_heads or config.num_attention_heads,
        head_width=width,
        intermediate=config.intermediate_size,
        vocabulary=config.vocab_size,
        tied=bool(config.tie_word_embeddings),
        qkv_bias=config.model_type == "qwen2",
        head_norms=config.model_type == "qwen3",
    )


@dataclass(frozen=True, slots=True)
class ModelOutline:
    """What is known of a model before its weights are there.

    Attributes:
        shape: Its shape; None where it is not known.
        context: Tokens that it can take; None where that is not known.
        source: Where both were read.
    """

    shape: Architecture | None
    context: int | None
    source: str


def plan_of(config: ModelConfig, candidates: Sequence[CandidateModel]) -> ModelOutline:
    """The model that a config means: from its own fields, a folder's or file's, or a candidate's; nothing is fetched.

    Raises:
        PolicyFailure: There is a folder or a file, and it does not say what it holds.
    """
    name = config.pretrained
    if name is None:
        return ModelOutline(scratch_shape(config), config.context, "the config")
    path = Path(name)
    if path.exists():
        try:
            held = read_file_config(path) if path.is_file() else read_config(path)
            text = held.get_text_config()
            return ModelOutline(
                shape_of(held), getattr(text, "max_position_embeddings", None), name
            )
        except (OSError, ValueError, LookupError) as error:
            raise PolicyFailure(f"{name}: its config cannot be read: {error}") from error
    known = [each for each in candidates if name in (each.repository, each.name)]
    if not known:
        return ModelOutline(None, None, "nowhere: it is no candidate's repository")
    return ModelOutline(known[0].architecture, known[0].context, f"the candidate {known[0].name}")


def scratch_shape(config: ModelConfig) -> Architecture:
    """The shape of a model made from scratch, at the most tokens that its tokenizer may get."""
    return Architecture(
        layers=config.layers,
        hidden=config.hidden,
        heads=config.heads,
        kv_heads=config.key_value_heads or config.heads,
        head_width=config.hidden // config.heads,
        intermediate=config.intermediate,
        vocabulary=config.vocabulary,
        tied=True,
        qkv_bias=config.architecture == "qwen2",
    )


def read_file_config(file: Path) -> Any:
    """What a GGUF file says of its shape.

    Raises:
        MissingExtra: ``gguf`` is not installed.
    """
    if find_spec("gguf") is None:
        raise MissingExtra("gguf", f"the file {file}")
    from transformers import AutoConfig

    return AutoConfig.from_pretrained(file.parent, gguf_file=file.name)
