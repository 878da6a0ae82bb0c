"""What the theme station does: where the author's words are, and who may draft them."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from gonogo.config.base import Frozen

__all__ = ["WORDS", "ThemeConfig"]

WORDS = "theme.yaml"
"""The file of a run's folder that the author's words are in, where no other is named."""


class ThemeConfig(Frozen):
    """The theme station: the author's words, and the gate that asks for them."""

    required: bool = True
    """Whether what costs much (reward, probe, train, demo) refuses a run without a confirmed problem statement."""

    words: Path | None = None
    """YAML file of the author's words, written as a template where there is none; null for `theme.yaml` in `out`."""
    draft: str | None = Field(None, pattern=r"^https?://[^/\s]+")
    """Base URL of an OpenAI-compatible server whose model drafts the words, with the model's name as its fragment
    (`http://host:8000/v1#model`); null for a template without words."""
