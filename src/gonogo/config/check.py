"""What the check station is told: where the Space is, what is submitted, how long things may take."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from gonogo.config.base import Frozen

__all__ = ["CheckConfig"]

URL = r"^https?://[^/\s]+(/\S*)?$"


class CheckConfig(Frozen):
    """The check station: a submission's boxes that no file of the package answers."""

    space: str | None = Field(None, pattern=URL)
    """The Space, by its page or its server's URL; null where there is none yet."""
    submission: str | None = Field(None, pattern=URL)
    """The URL that is submitted; null where it is not known yet."""
    notebook: Path | None = None
    """The notebook; null for the one that the README links, or the only one beside it."""
    quick: bool = False
    """Leave out what takes minutes: running the notebook and building the image."""
    notebook_s: float = Field(3600.0, gt=0)
    """Seconds that the notebook may take."""
    build_s: float = Field(900.0, gt=0)
    """Seconds that one step of the image may take, and the tests of the exploits."""

    @model_validator(mode="after")
    def _notebook_is_there(self) -> Self:
        if self.notebook is not None and not self.notebook.is_file():
            raise ValueError(f"notebook must be a file, and {self.notebook} is none")
        return self
