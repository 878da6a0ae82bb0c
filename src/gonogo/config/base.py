"""What all config models share."""

from __future__ import annotations

from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict

__all__ = ["ConfigFields", "Frozen"]

ConfigFields: TypeAlias = dict[str, Any]
"""Values of fields by their dotted names (``evaluation.episodes``), as options give them;
:func:`~gonogo.config.loading.load` checks them with the file's."""


class Frozen(BaseModel):
    """Base of all config models: frozen, strict, no unknown fields, no NaN."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        use_attribute_docstrings=True,
        protected_namespaces=(),
    )
