"""Actions to fill in, as pydantic declares them, and the forms of them."""

from __future__ import annotations

from enum import Enum
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from gonogo.play.form import Form


class Mode(Enum):
    SLOW = "slow"
    FAST = "fast"


class Point(BaseModel):
    model_config = ConfigDict(extra="forbid")
    x: float
    y: float = 0.0


class Command(BaseModel):
    """Every kind of field that a human may have to fill."""

    model_config = ConfigDict(extra="forbid")
    metadata: dict[str, Any] = Field(default_factory=dict)
    move: Literal["north", "south", "far south"] = Field(description="Where to")
    coast: int = Field(ge=10, le=600)
    mode: Mode = Mode.FAST
    note: str | None = Field(default=None, max_length=5)
    quiet: bool = False
    at: Point | None = None
    path: list[int] = []
    level: Literal[1, 2] = 1
    tag: int | str = 0


RAW = {
    "type": "object",
    "properties": {
        "burn": {"enum": ["idle", "roll+small"]},
        "coast_s": {"type": "integer", "minimum": 10},
        "reply": {"type": "string", "description": "A model's raw text."},
        "metadata": {"type": "object"},
    },
    "oneOf": [{"required": ["burn", "coast_s"]}, {"required": ["reply"]}],
}
"""Fields, or a model's raw text."""


@pytest.fixture(scope="session")
def form() -> Form:
    return Form(Command.model_json_schema())


@pytest.fixture(scope="session")
def raw_form() -> Form:
    return Form(RAW)
