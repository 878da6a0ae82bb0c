"""Pretrained models through Unsloth, which needs a GPU, and a check that they fly as they compute.

Written from the source of Unsloth 2026.10.9, and not run: no machine that this was written on had a GPU.
:func:`check_decoding` is for that reason: a model that the decoder does not run exactly is refused when it is loaded.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from gonogo.config import LoraConfig, ModelConfig
from gonogo.errors import PolicyFailure
from gonogo.models.decoder import Decoder, Forward
from gonogo.models.drift import CHECK_TOKENS, ROUNDING, drift_of

__all__ = ["attach_by_unsloth", "check_decoding", "is_patched", "load_by_unsloth"]


def load_by_unsloth(name: str, config: ModelConfig) -> tuple[Any, Any]:
    """A model and its tokenizer; :func:`gonogo.models.extras.prepare` has imported Unsloth before."""
    fast = import_module("unsloth").FastLanguageModel
    found: tuple[Any, Any] = fast.from_pretrained(
        model_name=name,
        max_seq_length=config.context,
        dtype=None,  # bf16, or fp16 on a GPU without
        load_in_4bit=config.precision == "4bit",
        use_exact_model_name=True,
        fast_inference=False,
    )
    return found


def attach_by_unsloth(model: Any, config: LoraConfig, seed: int) -> Any:
    """Put new LoRA factors into a model that Unsloth has loaded."""
    fast = import_module("unsloth").FastLanguageModel
    return fast.get_peft_model(
        model,
        r=config.rank,
        lora_alpha=config.alpha,
        lora_dropout=config.dropout,
        target_modules=list(config.targets),
        use_gradient_checkpointing=False,  # the trainer's setting decides
        random_state=seed,
    )


def is_patched(model: Any) -> bool:
    """Whether Unsloth has replaced the forward of a model's body."""
    return str(getattr(type(model.base_model).forward, "__module__", "")).startswith("unsloth")


def check_decoding(model: Any, forward: Forward) -> None:
    """Fly two short turns through the decoder's cache, and hold them against the model's own forward.

    Raises:
        PolicyFailure: The two disagree: a training would learn from what the model did not say.
    """
    decoder = Decoder(forward, stop=-1, pad=0, max_new_tokens=CHECK_TOKENS, temperature=None)
    drift = drift_of(model, decoder)
    if not drift <= ROUNDING:
        raise PolicyFailure(
            f"the decoder and the model disagree by {drift:.3f} in log-probability, where {ROUNDING} is rounding: "
            "set model.loader to transformers"
        )
