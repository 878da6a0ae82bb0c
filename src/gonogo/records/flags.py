"""The record of what a run was begun with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field, PlainSerializer

from gonogo.records.record import Record
from gonogo.wire import JsonObject

__all__ = ["Flags"]


class Flags(Record):
    """What a run was begun with."""

    kind: ClassVar[str] = "flags"
    version: ClassVar[int] = 1
    station: ClassVar[str] = "map"

    target: str
    """Its environment."""
    config: Annotated[Path, PlainSerializer(str)] | None
    """Its config file, absolute; None where it had none."""
    options: JsonObject = Field(default_factory=dict)
    """Fields of the config that options replaced, by their dotted names."""
