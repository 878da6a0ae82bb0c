"""What the probe station does: which models, on which tasks, for which machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from gonogo.config.flying import TaskPlan

__all__ = ["ProbeConfig"]


class ProbeConfig(TaskPlan):
    """The probe station: candidate models, those whose weights can be had flown without any training."""

    episodes: int = Field(10, ge=1)
    """Episodes of each model, the same tasks for all and for idle."""
    models: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    """Models whose weights can be had, `NAME=WHERE` or `WHERE`: a folder, a GGUF file, or the base URL of an
    OpenAI-compatible server with the model's name as its fragment (`http://host:8000/v1#model`)."""
    candidates: Path | None = None
    """YAML file of further candidates, in the form of the shipped one; null for the shipped ones alone."""
    memory_gb: float | None = Field(None, gt=0)
    """Memory in GB (1e9 bytes) that training may take; null for this machine's GPU, or RAM without one."""
    lora_rank: int = Field(16, ge=1)
    """Rank of the LoRA that training would use, on every projection."""
    batch: int = Field(1, ge=1)
    """Episodes in one forward and backward pass of that training."""
    reply_timeout_s: float = Field(60.0, gt=0)
    """Seconds that a server may take for one reply before the episode counts as lost."""

    @model_validator(mode="after")
    def _candidates_are_there(self) -> Self:
        if self.candidates is not None and not self.candidates.is_file():
            raise ValueError(f"candidates must be a YAML file, and {self.candidates} is none")
        return self
