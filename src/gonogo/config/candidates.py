"""Models that may be trained: their architectures and what else decides, from files with sources.

The shipped file is ``candidates.yaml`` beside this module; anyone adds others with a file of the same form.
What nobody has verified is None, never a guess.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any, Self

import yaml
from pydantic import Field, TypeAdapter, ValidationError, model_validator

from gonogo.config.architecture import Architecture
from gonogo.config.base import Frozen
from gonogo.config.loading import describe
from gonogo.errors import ConfigError

__all__ = ["CandidateModel", "load_candidates"]

SHIPPED = "candidates.yaml"


class CandidateModel(Frozen):
    """A model that might be trained."""

    name: str = Field(min_length=1)
    """What tables call it, and what `--model NAME=WHERE` gives weights to."""
    repository: str | None = None
    """Its repository on the hub."""
    architecture: Architecture | None = None
    """Null where it is not known, or is no dense decoder of this kind."""
    context: int | None = Field(None, ge=1)
    """Longest episode in tokens."""
    licence: str | None = None
    """Its licence's id."""
    unsloth: bool | None = None
    """Whether Unsloth trains it."""
    sources: dict[str, str] = Field(default_factory=dict)
    """Where each fact was read."""

    @model_validator(mode="after")
    def _facts_have_sources(self) -> Self:
        facts = ("architecture", "licence", "unsloth")
        bare = [name for name in facts if getattr(self, name) is not None]
        missing = [name for name in bare if name not in self.sources]
        if missing:
            raise ValueError(f"sources must say where {', '.join(missing)} was read")
        return self


def load_candidates(extra: Path | None = None) -> tuple[CandidateModel, ...]:
    """The shipped candidates, and those of a file; its entries replace shipped ones of the same name.

    Raises:
        ConfigError: The file cannot be read or breaks a rule.
    """
    listed = read(SHIPPED, files("gonogo.config").joinpath(SHIPPED).read_text(encoding="utf-8"))
    if extra is not None:
        try:
            listed += read(str(extra), extra.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{extra}: cannot be read: {error}") from error
    return tuple({candidate.name: candidate for candidate in listed}.values())


def read(source: str, text: str) -> list[CandidateModel]:
    """The candidates of one file."""
    try:
        data: Any = yaml.safe_load(text)
        return TypeAdapter(list[CandidateModel]).validate_python(data)
    except yaml.YAMLError as error:
        raise ConfigError(f"{source}: not YAML: {error}") from error
    except ValidationError as error:
        raise ConfigError(describe(error, source, CandidateModel)) from error
