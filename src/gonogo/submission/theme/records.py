"""What the station reads of the run's map and audit, checked field by field: a record may have been edited by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from gonogo.config import RunConfig, describe
from gonogo.env.environment import Env
from gonogo.errors import ConfigError, StaleRecord
from gonogo.records.base import MAP, Shared
from gonogo.rollout.types import Json
from gonogo.wire import Metadata, TaskOptions

__all__ = ["MapExcerpt", "read_map"]


class Excerpt(BaseModel):
    """Base of what is read: other fields are nobody's concern here."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


class FieldExcerpt(Excerpt):
    """A field of an action, an observation or a state, a tool, or a parameter of the reset."""

    name: str
    description: str | None = None


class ResetExcerpt(Excerpt):
    """What a reset takes."""

    parameters: list[FieldExcerpt] | None


class ActionExcerpt(Excerpt):
    """What an action holds."""

    fields: list[FieldExcerpt]
    tools: list[FieldExcerpt]


class TaskExcerpt(Excerpt):
    """A task's reset options."""

    options: TaskOptions


class SplitExcerpt(Excerpt):
    """A split of the task API."""

    name: str
    num_tasks: int | None
    preview: list[Any]


class TasksExcerpt(Excerpt):
    """The tasks that were found."""

    flown: list[TaskExcerpt]
    left_out: list[TaskExcerpt]
    splits: list[SplitExcerpt] | None


class RecordExcerpt(Excerpt):
    """Whom a record is about."""

    target: str
    environment: str
    source_hash: str | None


class EndsExcerpt(Excerpt):
    """After how many turns episodes are ended that do not end themselves, and why then."""

    limit: int
    why: str


class MapExcerpt(RecordExcerpt):
    """The map, as far as it is read."""

    metadata: Metadata | None
    manifest: dict[str, Any] | None
    reset: ResetExcerpt
    action: ActionExcerpt
    observation: list[FieldExcerpt]
    state: list[FieldExcerpt]
    terminal: EndsExcerpt
    tasks: TasksExcerpt


Read = TypeVar("Read", bound=RecordExcerpt)


def read_map(run: RunConfig, env: Env) -> MapExcerpt:
    """The run's map.

    Raises:
        MissingRecord: There is none.
        StaleRecord: It is of another schema, target or version of the environment.
        ConfigError: A field is broken.
    """
    return read(run, env, MAP, MapExcerpt)


def read(run: RunConfig, env: Env, kind: Shared, what: type[Read]) -> Read:
    """A record of this target as it is now."""
    path = kind.path(run.out)
    found = checked(kind.read(run.out, env.source), path, what)
    if found.target != run.target:
        raise StaleRecord(
            f"{path}: target must be {run.target!r}, not {found.target!r}; run {kind.station} again"
        )
    return found


def checked(record: Json, path: Path, what: type[Read]) -> Read:
    """The fields that are read."""
    try:
        return what.model_validate(record)
    except ValidationError as error:
        raise ConfigError(describe(error, str(path), what)) from error
