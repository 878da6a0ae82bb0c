"""Names of the JSON values that belong to an environment, so that nobody here can name their fields.

What gonogo makes itself is a class, of :mod:`gonogo.records`, of :mod:`gonogo.config` or of the module that makes it.
An action, an observation or a state has the fields that a stranger gave it; a signature says which of them it takes by
one of these names. Nothing else is a mapping of text to anything.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import pydantic

JsonObject: TypeAlias = dict[str, pydantic.JsonValue]
"""A JSON object of any shape, which whoever reads it has to validate: a manifest, a line of a log, a config as JSON."""
Memory: TypeAlias = dict[str, Any]
"""What a policy function keeps during an episode, as its author likes."""
Manifest: TypeAlias = dict[str, Any]
"""How a stranger describes a package: ``openenv.yaml``, ``pyproject.toml``, the front matter of its README."""
WireObject: TypeAlias = dict[str, Any]
"""A JSON object off the wire, before it is read: only where a stranger's JSON comes in, which is
env/, the codec and the log of episodes."""
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
