"""How far a model that was saved is from what comes back."""

from __future__ import annotations

from pathlib import Path

import torch

from gonogo.models import saved as models
from gonogo.models.tokenizer import Speaker


def difference(speaker: Speaker, folder: Path) -> float:
    """The largest difference of logits on a fixed sequence; the tokenizer and turn format have to be the same."""
    other = models.load(folder)
    assert other.turns == speaker.turns and len(other.tokenizer) == len(speaker.tokenizer)
    ids = torch.arange(min(len(speaker.tokenizer), 64))[None]
    with torch.inference_mode():
        ours, theirs = (
            each.model.eval()(ids.to(each.model.device)).logits.float().cpu()
            for each in (speaker, other)
        )
    return float((ours - theirs).abs().max())
