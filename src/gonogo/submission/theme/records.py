"""What the station reads of the run's map and audit, checked field by field: a record may have been edited by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gonogo.config import RunConfig, describe
from gonogo.env.environment import Env
from gonogo.errors import ConfigError, MissingRecord, StaleRecord
from gonogo.records.base import AUDIT, MAP, Shared
from gonogo.rollout.types import Json
from gonogo.wire import Metadata, TaskOptions

__all__ = ["AuditExcerpt", "MapExcerpt", "read_audit", "read_map"]


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


class RateExcerpt(Excerpt):
    """How often a policy succeeded."""

    mean: float | None


class PolicyExcerpt(Excerpt):
    """A policy of the audit."""

    policy: str
    kind: str
    success: RateExcerpt | None


class FindingExcerpt(Excerpt):
    """Something that was found."""

    id: str


class AuditedTaskExcerpt(Excerpt):
    """A task of the audit."""

    policies: list[PolicyExcerpt]


class AuditExcerpt(RecordExcerpt):
    """The audit, as far as it is read."""

    verdict: str = Field(pattern="^(GO|NO_GO|HOLD)$")
    findings: list[FindingExcerpt]
    tasks: list[AuditedTaskExcerpt]


Read = TypeVar("Read", bound=RecordExcerpt)


def read_map(run: RunConfig, env: Env) -> MapExcerpt:
    """The run's map.

    Raises:
        MissingRecord: There is none.
        StaleRecord: It is of another schema, target or version of the environment.
        ConfigError: A field is broken.
    """
    return read(run, env, MAP, MapExcerpt)


def read_audit(run: RunConfig, env: Env) -> AuditExcerpt | None:
    """The run's audit; None where there is none, for the theme comes before it.

    Raises:
        StaleRecord: As of the map.
        ConfigError: As of the map.
    """
    try:
        return read(run, env, AUDIT, AuditExcerpt)
    except MissingRecord:
        if AUDIT.path(run.out).exists():
            raise
        return None


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
