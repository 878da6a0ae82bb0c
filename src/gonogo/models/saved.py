"""Making, saving and reloading models, without a global seed and without trusting that saving worked.

A model's folder holds its weights (safetensors), its tokenizer and ``gonogo_model.json``, which says
how it speaks: its turn format and the longest episode. That what was saved comes back is proven by
:mod:`gonogo.training.saving`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from pydantic import BaseModel
from transformers import (
    AutoModelForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen2ForCausalLM,
)
from transformers.utils import logging

from gonogo.config import ModelConfig
from gonogo.errors import MissingRecord
from gonogo.models.checkpoints import require_safetensors
from gonogo.models.failures import FLYING, naming_what_to_lower
from gonogo.models.machine import device
from gonogo.models.pretrained import load_adapted
from gonogo.models.tokenizer import Speaker, TurnFormat, begin_by_value, scratch_format

logging.disable_progress_bar()  # a bar for each file of a model that loads in a moment
CARD = "gonogo_model.json"


class SavedSpeaker(BaseModel):
    """What a model's folder says beside its weights and its tokenizer."""

    context: int
    """Longest episode in tokens."""
    turns: TurnFormat
    base: ModelConfig | None
    """How the frozen weights under an adapter were loaded; None where all weights are the model's own."""


def model_folder(out: Path, name: str) -> Path:
    """Where a run keeps one of its models: ``untrained``, ``sft`` or ``trained``."""
    return out / "models" / name


def make(config: ModelConfig, tokenizer: Any, seed: int) -> Speaker:
    """A new model with random weights, in which only the numbers begin with a sense.

    Args:
        config: Its architecture.
        tokenizer: Trained already; gives the size of the vocabulary.
        seed: Of the weights. The caller's random state is left as it was.
    """
    turns = scratch_format(tokenizer)
    kinds = {"llama": (LlamaConfig, LlamaForCausalLM), "qwen2": (Qwen2Config, Qwen2ForCausalLM)}
    configuration, architecture = kinds[config.architecture]
    shape = configuration(
        vocab_size=len(tokenizer),
        hidden_size=config.hidden,
        intermediate_size=config.intermediate,
        num_hidden_layers=config.layers,
        num_attention_heads=config.heads,
        num_key_value_heads=config.key_value_heads or config.heads,
        max_position_embeddings=config.context,
        initializer_range=config.initial_std,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=turns.end,
        pad_token_id=turns.pad,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = architecture(shape)
        begin_by_value(model.get_input_embeddings().weight, tokenizer.get_vocab())
    return Speaker(model.float().eval().to(device()), tokenizer, turns, config.context)


def save(speaker: Speaker, folder: Path) -> None:
    """Write a model's folder; of a model with LoRA only the factors, and how to load what they belong to."""
    folder.mkdir(parents=True, exist_ok=True)
    if speaker.base is None:
        speaker.model.save_pretrained(folder)
    else:
        # `auto` would ask the hub whether the vocabulary has grown; factors never sit on the embedding here.
        speaker.model.save_pretrained(folder, save_embedding_layers=False)
    speaker.tokenizer.save_pretrained(folder)
    card = SavedSpeaker(context=speaker.context, turns=speaker.turns, base=speaker.base)
    text = json.dumps(card.model_dump(mode="json"), indent=2)
    (folder / CARD).write_text(text + "\n", encoding="utf-8")


@naming_what_to_lower(FLYING)
def load(folder: Path) -> Speaker:
    """Read what :func:`save` wrote, onto the GPU if there is one.

    Raises:
        MissingRecord: There is no model in the folder, or its adapter is of another model.
        Misuse: Its weights are pickles.
        PolicyFailure: What is under an adapter cannot be loaded.
        OutOfMemory: The memory does not hold it.
    """
    try:
        card = SavedSpeaker.model_validate_json((folder / CARD).read_bytes())
    except (OSError, ValueError) as error:
        raise MissingRecord(f"{folder}: no model of gonogo's there: {error}") from error
    # Not AutoTokenizer: for some architectures it rebuilds the tokenizer by rules of its own.
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
    require_safetensors(folder)
    if card.base is None:
        model = AutoModelForCausalLM.from_pretrained(
            folder, dtype=torch.float32, use_safetensors=True
        ).to(device())
    else:
        model = load_adapted(card.base, folder)
    return Speaker(model.eval(), tokenizer, card.turns, card.context, card.base)
