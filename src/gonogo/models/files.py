"""The files by which a folder is known as that of a model."""

from __future__ import annotations

from pathlib import Path

__all__ = ["MODEL_FILE", "OUR_MODEL_FILE", "TRAIN_EXTRA", "holds_model"]


MODEL_FILE = "config.json"

OUR_MODEL_FILE = "gonogo_model.json"

TRAIN_EXTRA = frozenset({"torch", "transformers", "tokenizers", "peft"})


def holds_model(folder: Path) -> bool:
    """Whether a folder holds a model: any chat model's, or one of gonogo's, which may be an adapter alone."""
    return any((folder / name).is_file() for name in (MODEL_FILE, OUR_MODEL_FILE))
