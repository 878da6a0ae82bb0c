"""Names of the JSON values that belong to an environment, so that nobody here can name their fields.

What gonogo makes itself is a class, of :mod:`gonogo.records`, of :mod:`gonogo.config` or of the module that makes it.
An action, an observation or a state has the fields that a stranger gave it; a signature says which of them it takes by
one of these names. Nothing else is a mapping of text to anything.
"""

from __future__ import annotations

from typing import Any, TypeAlias

__all__ = [
    "Action",
    "JsonObject",
    "JsonSchema",
    "JsonValue",
    "Metadata",
    "Observation",
    "State",
    "TaskOptions",
    "Tool",
]

JsonObject: TypeAlias = dict[str, Any]
"""Any JSON object of a stranger's, where no narrower name fits: a manifest, a third party's file; a config as JSON."""
JsonValue: TypeAlias = Any
"""A stranger's value, such as the default of a parameter."""
Action: TypeAlias = dict[str, Any]
"""An action, as a step takes it."""
Observation: TypeAlias = dict[str, Any]
"""An observation's own fields, without reward, done and metadata."""
State: TypeAlias = dict[str, Any]
"""What ``state`` answers."""
Metadata: TypeAlias = dict[str, Any]
"""What an environment says beside an observation."""
TaskOptions: TypeAlias = dict[str, Any]
"""A task: the options of a reset."""
JsonSchema: TypeAlias = dict[str, Any]
"""A JSON schema, or a part of one."""
Tool: TypeAlias = dict[str, Any]
"""A tool that an environment offers: ``name``, ``description``, ``input_schema``."""
