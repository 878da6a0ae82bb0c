"""What ``gonogo map`` leaves: an environment's card, and whether it keeps its contract.

The card says what the environment is, from its schemas, its source and its flights. What a target does not show is
None, and ``unknown`` says in sentences what would show it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import Field, StrictBool

from gonogo.records.findings import Finding, FirstDifference
from gonogo.records.inspection import CodeLine, NoRubric, ResetParameter, RubricNode, TaskSplit
from gonogo.records.record import Frame, Part, StationRecord
from gonogo.wire import (
    Action,
    JsonObject,
    JsonValue,
    Manifest,
    Metadata,
    Observation,
    TaskOptions,
    Tool,
)


class SourcePlace(CodeLine):
    """A line that decides something."""

    file: str
    line: int
    inside: Annotated[str, Field(validation_alias="in", serialization_alias="in")]
    """Name of the class and function that it stands in."""
    text: str
    """The line itself."""
    when: str | None = None
    """The condition that it stands under; None without one."""


class MethodCode(CodeLine):
    """What a method says and touches."""

    line: int
    doc: str
    """First line of its docstring."""
    sets: tuple[str, ...]
    """Attributes that it sets, those that the class's methods set for it included."""


class ResetExample(Part):
    """A reset that was flown."""

    options: TaskOptions
    observation: Observation


class ResetInterface(Part):
    """What a reset takes and initialises."""

    parameters: tuple[ResetParameter, ...] | None
    """None where its signature cannot be seen."""
    open: bool | None
    """Whether it takes other options too."""
    code: MethodCode | None
    example: ResetExample | None

    @property
    def names(self) -> list[str]:
        """The parameters' names; none where its signature cannot be seen."""
        return [parameter.name for parameter in self.parameters or ()]


class StepEffect(Part):
    """What one step does."""

    code: MethodCode | None
    steps: int
    """Accepted steps that were flown."""
    changed: dict[str, int]
    """Fields of the observation, by how many of the steps changed them."""


class SettableField(Part):
    """A field of the action."""

    name: str
    required: bool
    words: str
    """What it takes."""
    choices: tuple[JsonValue, ...] | None
    bounds: dict[str, JsonValue]
    """Keywords of JSON Schema that bound it, with their values."""
    default: JsonValue
    description: str | None


class ActionInterface(Part):
    """What an action holds."""

    fields: tuple[SettableField, ...]
    tools: tuple[Tool, ...]
    listed: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Texts among which the code looks for a field's value, where its schema names none."""


class DescribedField(Part):
    """A field of the observation or the state."""

    name: str
    words: str
    """What it holds."""
    description: str | None
    example: JsonValue
    """The last value that was seen."""


class HiddenField(Part):
    """Something that a model does not see."""

    field: str
    why: str


class ModelView(Part):
    """What a model is told and sees first, and what it does not see."""

    instructions: str
    first_observation: str | None
    """None where no episode could be flown."""
    left_out: tuple[HiddenField, ...]


class EpisodeEnding(Part):
    """One kind of end, and how many episodes came to it."""

    success: bool | None
    """None where the environment did not say."""
    timeout: StrictBool
    episodes: int


class EpisodeLimit(Part):
    """After how many turns the stations that follow end an episode themselves, and what that rests on."""

    limit: int
    why: str
    sought: int
    """Flights that looked for an end."""
    cut: tuple[int, ...]
    """Turns of those that found none."""


class EpisodeEnds(EpisodeLimit):
    """How episodes end."""

    ended: int
    """Flights that did."""
    flown: int
    steps: tuple[int, int] | None
    """Fewest and most turns of an episode that ended; None where none did."""
    ends: tuple[EpisodeEnding, ...]
    places: tuple[SourcePlace, ...] | None
    """Where the code decides the end; None where no code can be seen."""


class ComponentSource(Part):
    """A component of the reward, and where it is written."""

    name: str
    place: SourcePlace | None


class RewardSource(Part):
    """What is paid, and where it is computed."""

    declared: tuple[float, float] | None
    """The range in the manifest."""
    seen: tuple[float, float] | None
    """Least and most that a step was paid."""
    rubric: RubricNode | NoRubric | None
    """None where it cannot be seen."""
    breakdown: tuple[ComponentSource, ...]
    places: tuple[SourcePlace, ...] | None
    """None where no code can be seen."""

    def rubrics(self) -> Iterator[RubricNode]:
        """Every rubric of the tree, each before its children."""
        if self.rubric:
            yield from self.rubric.nodes()


class MappedTask(Part):
    """A task."""

    options: TaskOptions
    """Reset options that select it."""
    source: str
    """Where it was found: ``default``, ``given``, ``signature``, ``manifest`` or ``task API``."""


class MappedTasks(Part):
    """The tasks that were found."""

    flown: tuple[MappedTask, ...]
    left_out: tuple[MappedTask, ...]
    """Those that were found and not flown."""
    splits: tuple[TaskSplit, ...] | None
    """None where there is no task API."""


class PackageProject(Part):
    """What ``pyproject.toml`` says."""

    name: JsonValue
    version: JsonValue
    dependencies: JsonValue


class Packaging(Part):
    """How an environment's folder is packaged."""

    files: dict[str, str | None]
    """By role; None of one that is absent."""
    project: PackageProject | None


ItemVerdict = Literal["pass", "fail", "na"]


class ItemEvidence(Part):
    """What a check saw, as data; a check has the fields that are its own."""

    flights: int | None = None
    steps: int | None = None
    refused: int | None = None
    """Steps that were refused."""
    tried: int | None = None
    """Malformed actions that could be tried."""
    rewards: int | tuple[JsonValue, ...] | None = None
    """How many there were; of a lost flight, what each action was paid."""
    low: float | None = None
    """Least reward."""
    high: float | None = None
    """Highest reward."""
    declared: tuple[float, float] | None = None
    """The declared range of rewards."""
    observations: int | None = None
    states: int | None = None
    difference: FirstDifference | None = None
    """In what a repetition was another, or another seed's episode."""
    seeds: tuple[int, ...] | None = None
    """Seeds that gave the same episode."""
    late: bool | None = None
    """Whether the time ended the map before the check."""
    unclear: bool | None = None
    """Whether the seed may be dropped all the same."""
    unbegun: bool | None = None
    """Whether every reset of the task was answered with an error, so that nothing of it can be flown."""
    reset: TaskOptions | None = None
    """Reset options of a lost flight."""
    actions: tuple[Action | str, ...] | None = None
    """What was sent in it; a text says how many more there were."""
    tools: tuple[str, ...] | None = None
    """Names of the tools."""
    files: tuple[str, ...] | None = None
    """Files that importing the client loaded."""
    classes: tuple[str, ...] | None = None
    """OpenEnv's clients in it."""


class ContractItem(Part):
    """One check's answer about one task, or about the environment."""

    id: str
    """One of :data:`gonogo.contract.findings.CHECKS`."""
    verdict: ItemVerdict
    said: str
    """The evidence in one sentence."""
    task: TaskOptions | None
    """The task's reset options; None where it is about no task."""
    evidence: ItemEvidence
    finding: str | None
    """Id of the finding that a failing item proves."""


class VolatilePlace(Part):
    """A place that holds a clock or a random id."""

    task: TaskOptions
    path: str
    kind: str
    """What it looks like, in words."""
    mask: str | None
    """Which tokens of a text are left out, see :mod:`gonogo.rollouts.volatile`."""
    columns: tuple[int, ...] | None
    """Which numbers of a text are left out; None for all that it holds."""


class ContractReport(StationRecord):
    """What an environment is, and whether it keeps its contract."""

    kind: ClassVar[str] = "map"
    version: ClassVar[int] = 1
    station: ClassVar[str] = "map"

    environment: str
    """Its own name."""
    reward_hash: str | None
    """Of the reward that paid in place of the environment's own; None where that paid."""
    seed: int
    metadata: Metadata | None
    """Its name, description and version, as it gives them."""
    reset: ResetInterface
    step: StepEffect
    action: ActionInterface
    observation: tuple[DescribedField, ...]
    state: tuple[DescribedField, ...]
    model: ModelView
    terminal: EpisodeEnds
    reward: RewardSource
    tasks: MappedTasks
    manifest: Manifest | None
    """``openenv.yaml``; None where there is none to see."""
    packaging: Packaging | None
    """None where the folder cannot be seen."""
    unknown: tuple[str, ...]
    """What of the card is not known, each with what would show it."""
    contract: tuple[ContractItem, ...]
    """The worst answer to each check."""
    items: tuple[ContractItem, ...]
    """Every answer."""
    findings: tuple[Finding, ...]
    volatile: tuple[VolatilePlace, ...] = ()
    """Empty in a record from before they were written."""
    notes: tuple[str, ...]
    config: JsonObject
    """The sections ``rollout`` and ``map`` of the run's config."""

    @property
    def frame(self) -> Frame:
        """A row a check."""
        rows = [(each.id, each.verdict, each.said) for each in self.contract]
        return Frame(("check", "verdict", "evidence"), rows)
