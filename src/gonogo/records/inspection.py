"""What an environment shows without an episode, as gonogo's worker and an OpenEnv server tell it.

The map's record holds the reset's parameters, the rubrics and the splits of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from gonogo.records.record import Dumped, Part
from gonogo.wire import JsonObject, JsonSchema, JsonValue, Metadata, Tool


class ResetParameter(Part):
    """A parameter of the reset method."""

    name: str
    json_schema: Annotated[
        JsonSchema, Field(validation_alias="schema", serialization_alias="schema")
    ]
    """Of its values; empty where its annotation has none."""
    default: JsonValue
    required: bool


class ResetSignature(Part):
    """What the reset method takes."""

    parameters: tuple[ResetParameter, ...]
    open: bool
    """Whether it takes other parameters, too."""


class CodeLine(Part):
    """A line of code; both are None where Python does not know."""

    file: str | None
    line: int | None


class RubricNode(CodeLine):
    """A rubric of the environment, with those below it."""

    name: str
    class_name: Annotated[str, Field(validation_alias="class", serialization_alias="class")]
    weight: int | float | None
    """Its weight in the sum of the rubric above it; None where that does not sum by weight."""
    children: tuple[RubricNode, ...]

    def nodes(self) -> Iterator[RubricNode]:
        """It and all that are below it, each before its children."""
        yield self
        for child in self.children:
            yield from child.nodes()

    def leaves(self) -> Iterator[RubricNode]:
        """Those below it that have none below them."""
        return (node for child in self.children for node in child.nodes() if not node.children)


class NoRubric(Part):
    """The environment can be seen, and has no rubric."""

    def __bool__(self) -> Literal[False]:
        """There is none."""
        return False


class TaskSplit(Part):
    """A split of the task API."""

    name: str
    num_tasks: JsonValue
    """Number of its tasks, as the environment says it; None where it does not."""
    preview: tuple[JsonValue, ...]
    """Its first tasks."""
    other: JsonObject = Field(default_factory=dict)
    """What the environment says of it beside these; a file holds them as fields of the split."""

    @model_validator(mode="before")
    @classmethod
    def read(cls, told: object) -> object:
        """Set apart what the environment says beside the fields."""
        if not isinstance(told, dict):
            return told
        own = {name: value for name, value in told.items() if name in cls.model_fields}
        return {"other": {name: told[name] for name in told.keys() - own.keys()}, **own}

    @model_serializer(mode="wrap")
    def without_absent(self, dump: SerializerFunctionWrapHandler) -> Dumped:
        """Put it among the fields again."""
        own = dump(self)
        return {**own.pop("other"), **own}


class RouteAnswer(Part):
    """What a route of the server answers, or would answer."""

    status: int
    said: JsonValue


class TaskApiAnswers(Part):
    """How the task API answers what there is not."""

    unknown_split: RouteAnswer | None = None
    negative_index: RouteAnswer | None = None
    """None where there is no split to ask for it."""


class TaskApi(Part):
    """The task API of an environment."""

    splits: tuple[TaskSplit, ...]
    answers: TaskApiAnswers


class CodePlace(CodeLine):
    """Where a class or method lies."""

    name: str


class EnvironmentClass(CodePlace):
    """Where the environment's class lies."""

    bases: tuple[str, ...]
    """OpenEnv's base classes that it has, the nearest first."""
    classes: tuple[CodePlace, ...]
    """Its own classes, the nearest first."""


class EnvironmentCode(Part):
    """Where the code lies that answers."""

    environment: EnvironmentClass
    reset: CodePlace
    step: CodePlace
    action: CodePlace
    observation: CodePlace


class Description(Part):
    """What an environment says of itself without an episode. None is what this way in does not show."""

    metadata: Metadata | None = None
    """Its name, description and version, as OpenEnv's ``/metadata`` gives them."""
    reset_observation: JsonSchema | None = None
    """Schema of a reset's observation where it differs from a step's; else None."""
    tools: tuple[Tool, ...] = ()
    """Tools of an MCP environment; empty for others."""
    task_api: TaskApi | None = None
    """None where there is no task API."""
    reset: ResetSignature | None = None
    rubric: RubricNode | NoRubric | None = None
    code: EnvironmentCode | None = None
    problems: dict[str, str] = Field(default_factory=dict)
    """What raised when it was asked, by what was asked."""


class RawReward(Part):
    """A reward before it was JSON."""

    type: str
    shown: str
    """As Python writes it."""
    numeric: bool
    finite: bool


class RaisedError(Part):
    """An error that the environment raised, and its innermost line on the way to it; of a server only what was said."""

    type: str | None
    said: str
    file: str | None
    line: int | None
    code: str | None
    meant: bool
    """Whether a statement of the environment raised it, and not as something that cannot be."""


class RawAnswer(Part):
    """What the wire does not show of an answer to a reset or a step."""

    refused: Literal["invalid", "raised"] | None
    errors: tuple[str, ...]
    """Types of what was raised."""
    reward: RawReward | None = None
    nonfinite: tuple[str, ...] = ()
    """Paths of NaN and infinities in the observation."""
    raised: RaisedError | None = None
