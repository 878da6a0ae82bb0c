"""A model with its tokenizer, and loading one by the library."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM

from gonogo.config import ModelConfig
from gonogo.errors import Misuse
from gonogo.models.checkpoints import require_safetensors
from gonogo.models.vocabulary import TurnFormat

__all__ = ["Speaker", "load_whole"]


@dataclass(slots=True)
class Speaker:
    """A model with all it needs to fly.

    Attributes:
        model: Of transformers, or of peft around one.
        tokenizer: Its tokenizer.
        turns: Its turn format.
        context: Longest episode in tokens.
        base: How the frozen weights under an adapter were loaded; None where all weights are the model's own.
    """

    model: Any
    tokenizer: Any
    turns: TurnFormat
    context: int
    base: ModelConfig | None = None

    def told(self, system: str) -> Speaker:
        """The same model where it is told something else before the first observation; its weights are shared.

        Args:
            system: How to reply in the environment that it is going to fly; one made from scratch is told nothing.
        """
        return dataclasses.replace(self, turns=self.turns.told(self.tokenizer, system))


def load_whole(name: str | Path, dtype: torch.dtype = torch.float32, **where: Any) -> Any:
    """A pretrained model in evaluation, all its weights read.

    Args:
        name: Folder or hub name.
        dtype: Of its weights.
        where: Further words for transformers, such as the file in the folder.

    Raises:
        Misuse: Some are not there; transformers would draw them at random and go on. Or they are pickles.
    """
    if "gguf_file" not in where:
        where["use_safetensors"] = True
        if Path(name).is_dir():
            require_safetensors(Path(name))
    model, found = AutoModelForCausalLM.from_pretrained(
        name, dtype=dtype, output_loading_info=True, **where
    )
    if missing := sorted(found["missing_keys"]):
        raise Misuse(f"{name}: {len(missing)} of its weights are not there, such as {missing[0]}")
    return model.eval()
