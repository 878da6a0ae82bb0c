"""LoRA on a pretrained model: factors beside frozen weights, attached from a seed, found again in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig as Factors
from peft import PeftModel, get_peft_model

from gonogo.config import LoraConfig
from gonogo.errors import MissingRecord, Misuse

__all__ = ["attach", "check_targets", "inner", "reattach"]


def inner(model: Any) -> Any:
    """The transformers model, with factors in its layers where it has some.

    Raises:
        Misuse: What was learned is a prompt, which lies outside that model.
    """
    if not isinstance(model, PeftModel):
        return model
    if model.active_peft_config.is_prompt_learning:
        kind = model.active_peft_config.peft_type.value
        raise Misuse(f"a PEFT model needs adapters inside the model's layers, not {kind}")
    return model.get_base_model()


def attach(model: Any, config: LoraConfig, seed: int) -> PeftModel:
    """Put new factors into a model: it computes what it did before until they are trained.

    Args:
        model: Of transformers; its weights are frozen.
        config: Which factors; they are fp32 whatever the model's own weights are.
        seed: Of the factors. The caller's random state is left as it was.

    Raises:
        Misuse: A target is none of the model's linear layers.
    """
    check_targets(model, config)
    factors = Factors(
        r=config.rank,
        lora_alpha=config.alpha,
        lora_dropout=config.dropout,
        target_modules=list(config.targets),
        task_type="CAUSAL_LM",
    )
    # Of several GPUs, only the model's own has a state to keep.
    drawing = [model.device] if model.device.type == "cuda" else []
    with torch.random.fork_rng(devices=drawing):
        torch.manual_seed(seed)
        return get_peft_model(model, factors)


def check_targets(model: Any, config: LoraConfig) -> None:
    """Whether a model has the layers that get factors.

    Raises:
        Misuse: A target is none of them.
    """
    layers = {name.rpartition(".")[2] for name, _ in model.named_modules()}
    if strangers := [name for name in config.targets if name not in layers]:
        raise Misuse(
            f"model.lora.targets must name layers of the model, and it has no {', '.join(strangers)}"
        )


def reattach(model: Any, folder: Path) -> PeftModel:
    """Put a folder's factors into the model that they were trained on, to be flown or trained on.

    Raises:
        MissingRecord: There are none, or they are of another model.
    """
    try:
        return PeftModel.from_pretrained(model, str(folder), is_trainable=True)
    except (OSError, ValueError, RuntimeError) as error:
        raise MissingRecord(f"{folder}: no adapter for this model: {error}") from error
