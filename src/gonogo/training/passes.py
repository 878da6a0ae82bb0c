"""How the episodes of an optimizer step go through the model: a few at once, as the memory holds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from gonogo.config import TrainConfig

__all__ = ["Passes"]


class PassArguments(TypedDict):
    """Arguments of transformers' trainers that say how a step's episodes go through the model."""

    per_device_train_batch_size: int
    gradient_accumulation_steps: int
    gradient_checkpointing: bool
    gradient_checkpointing_kwargs: dict[str, bool] | None


@dataclass(frozen=True, slots=True)
class Passes:
    """Forward and backward passes of a step.

    Attributes:
        most: Episodes in one pass at most.
        checkpointing: Whether activations are computed again instead of kept.
    """

    most: int
    checkpointing: bool

    @classmethod
    def of(cls, train: TrainConfig) -> Passes:
        """What a config says."""
        return cls(train.micro_batch, train.gradient_checkpointing)

    def count(self, rows: int) -> int:
        """Passes for a step of so many episodes, each of the same number of them."""
        return next(rows // size for size in range(min(self.most, rows), 0, -1) if rows % size == 0)

    def words(self, rows: int) -> PassArguments:
        """The same for transformers' trainers."""
        count = self.count(rows)
        return {
            "per_device_train_batch_size": rows // count,
            "gradient_accumulation_steps": count,
            "gradient_checkpointing": self.checkpointing,
            # The reentrant kind wants a gradient of the input, which frozen weights do not have.
            "gradient_checkpointing_kwargs": {"use_reentrant": False}
            if self.checkpointing
            else None,
        }
