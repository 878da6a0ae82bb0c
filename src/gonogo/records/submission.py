"""What ``gonogo theme``, ``gonogo check`` and ``gonogo grade`` leave.

What was measured of an environment, a theme's points and the problem statement; the boxes of the submission list; the
episodes for OpenEnv's checks.
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

from pydantic import Field

from gonogo.records.record import Part, ReturnField, StationRecord, VerdictName
from gonogo.wire import JsonObject, TaskOptions


class BoxWord(StrEnum):
    """What a box says."""

    GO = "GO"
    """Proven here."""
    NO_GO = "NO-GO"
    """Disproven here."""
    NEEDS_YOU = "NEEDS YOU"
    """Not to be told from here; a command says what is missing."""


class BoxEvidence(Part):
    """The evidence of a box as data; this one of a box whose sentence is all."""


class NewestRelease(BoxEvidence):
    """OpenEnv's, of the registry."""

    newest: str


class BaseClasses(BoxEvidence):
    """Of the class that serves the environment."""

    bases: tuple[str, ...]


class LargeFiles(BoxEvidence):
    """Files that are too large to be pushed."""

    files: dict[str, float]
    """Megabytes by name."""


class MissingParts(BoxEvidence):
    """Sections or links that the README lacks."""

    missing: tuple[str, ...]


class DeadLinks(BoxEvidence):
    """Links of the README that lead nowhere."""

    dead: tuple[str, ...]


class ImageSize(BoxEvidence):
    """The container image."""

    megabytes: float
    notes: tuple[str, ...]
    how: str
    """How it was made: by ``docker`` or without."""


class NotebookFailure(BoxEvidence):
    """The cell at which a notebook failed."""

    cell: int
    """Its number among the code cells, from 1."""
    source: str
    error: str
    late: bool
    """Whether it did not end in time."""


class CorrelatedPair(Part):
    """Two components of a reward and their correlation."""

    pair: tuple[str, str]
    r: float
    """Without its sign."""


class ComponentIndependence(BoxEvidence):
    """How many components of a reward say something of their own."""

    episodes: int
    policies: tuple[str, ...]
    components: tuple[str, ...]
    rank: int
    """How many are independent."""
    highest_correlation: CorrelatedPair | None
    """None where fewer than two components vary."""
    own_shares: dict[str, float]
    """Share of each component's variance that the other independent ones do not explain."""


class CheckedBox(Part):
    """One box of the submission list."""

    name: str
    question: str
    """What has to be so."""
    why: str
    """Why a submission needs it."""
    answer: BoxWord
    said: str
    """The evidence in one sentence."""
    command: str | None
    """What its author runs; None unless the box needs him."""
    evidence: (
        NewestRelease
        | BaseClasses
        | LargeFiles
        | MissingParts
        | DeadLinks
        | ImageSize
        | NotebookFailure
        | ComponentIndependence
        | BoxEvidence
    )


class CheckReport(StationRecord):
    """Whether an environment is ready to be submitted."""

    kind: ClassVar[str] = "check"
    version: ClassVar[int] = 1
    station: ClassVar[str] = "check"

    environment: str
    seed: int
    notes: tuple[str, ...]
    boxes: tuple[CheckedBox, ...]
    config: JsonObject
    """The parts of the config that it was made by."""


class GradedEpisode(Part):
    """One episode that was flown for OpenEnv's checks."""

    task: TaskOptions
    episode_return: ReturnField
    success: bool | None
    turns: int
    components: dict[str, float]
    error: str | None
    """What lost it."""


class OracleEpisodes(Part):
    """Episodes of the policy that does best on a task in the audit."""

    policy: str | None
    """None where no policy is meant to succeed."""
    episodes: tuple[GradedEpisode, ...]
    shipped: bool
    """Whether the package ships the policy."""


class IdleEpisodes(Part):
    """Episodes in which nothing was done."""

    episodes: tuple[GradedEpisode, ...]


class RandomReturns(Part):
    """What random episodes of one task and seed earned."""

    task: TaskOptions
    returns: tuple[float, ...]


class ReplayedEpisode(Part):
    """One episode flown twice more, alone in another process."""

    policy: str
    task: TaskOptions
    success: bool | None
    steps: int
    difference: str | None
    """What came out otherwise, in words."""
    verdict: str | None
    """What was paid or judged otherwise, in words."""
    record: str | None
    """What a record of it lacks, in words."""


class ShownLeak(Part):
    """A way to send back what a reset shows that solves the task."""

    where: str
    """``observation``, ``state`` or ``metadata``."""
    path: str
    """Of the value."""
    way: str
    """Whole or spelled."""
    field: str
    """The action's field that takes it."""
    solved: int
    """Tasks that the own reset's value solves."""
    control: int
    """Tasks that another reset's value solves."""
    seeds: int


class ShownAnswers(Part):
    """Whether what resets show solves the task when it is sent back."""

    tried: dict[str, int]
    """Ways, by place."""
    leaks: tuple[ShownLeak, ...]
    judged: bool
    """Whether the environment ever says if an episode succeeded."""


class GradedTask(Part):
    """What was flown on one task."""

    task: TaskOptions
    oracle: OracleEpisodes
    idle: IdleEpisodes
    random: tuple[RandomReturns, ...]
    replays: tuple[ReplayedEpisode, ...]
    shown: ShownAnswers


class CanaryEpisode(Part):
    """What a canary of the package earns."""

    name: str
    """Its file."""
    episode_return: ReturnField
    floor: float | None
    """What idling on the same reset earns."""
    problem: str | None
    """Why it could not be flown; it has no returns then, or none that count."""


class ResourceUse(Part):
    """What episodes flown alone took."""

    episodes: int
    seconds: float
    """The longest one's."""
    memory_mb: float | None
    """The process's peak; None where the machine does not tell."""
    lost: str | None
    """What lost the first that was lost."""


class ResourceUses(Part):
    """What episodes took that were flown alone."""

    replays: ResourceUse
    """Recorded episodes, flown again."""
    provoked: ResourceUse
    """Episodes of actions that nobody should send."""


class GradeReport(StationRecord):
    """What was flown for the checks of OpenEnv that map and audit do not answer."""

    kind: ClassVar[str] = "grade"
    version: ClassVar[int] = 1
    station: ClassVar[str] = "grade"

    seed: int
    seeds: tuple[int, ...]
    """That each task was flown with."""
    tasks: tuple[GradedTask, ...]
    canaries: tuple[CanaryEpisode, ...]
    resources: ResourceUses
    config: JsonObject
    """The parts of the config that it was made by."""


class Statement(Part):
    """The problem statement."""

    gap: str = Field(max_length=600)
    """The capability gap, in one sentence."""
    observes: str = Field(max_length=600)
    """What the agent observes each step."""
    decides: str = Field(max_length=600)
    """What the agent decides each step."""
    does: str = Field(max_length=600)
    """What the agent does each step."""
    verified: str = Field(max_length=600)
    """Exactly how success is verified by a program."""
    remember: str = Field(max_length=600)
    """Why a reader will remember it."""


class ThemeFact(Part):
    """Something that was measured."""

    holds: bool | None
    """True, False, or None where it cannot be told."""
    said: str
    """The evidence in a sentence, without its full stop."""


class AgentsFact(ThemeFact):
    """Whether somebody else acts."""

    acting: int
    """Agents that act through the interface."""
    others_named_by: tuple[str, ...]
    """Fields and tools whose names mean somebody else."""


class DecisionsFact(ThemeFact):
    """Whether a success takes many decisions."""

    to_succeed: dict[str, float]
    """Median number by task, of the tasks that were flown to success."""
    longest_episode: int
    episodes: int


class DelayFact(ThemeFact):
    """Whether a reward that says something comes long after the action; without numbers where no reward was seen."""

    mean_decisions: float | None = None
    """From an action to such a reward."""
    of_successes: bool | None = None
    """Whether the episodes succeeded."""
    actions: int | None = None


class HiddenFact(ThemeFact):
    """Whether something that decides is not shown."""

    situations_met_again: int
    went_another_way: int


class ToolsFact(ThemeFact):
    """Whether the environment has tools."""

    tools: tuple[str, ...]
    action_fields: tuple[str, ...]


class CurriculumFact(ThemeFact):
    """Whether difficulty can be raised."""

    levels: tuple[str, ...]
    knobs: tuple[str, ...]
    """Options of the reset."""
    splits: tuple[str, ...]


class AuditFact(ThemeFact):
    """Whether the reward is clean as far as the audit saw; only a sentence without an audit."""

    verdict: VerdictName | None = None
    findings: tuple[str, ...] | None = None
    """Their ids."""


class KnownEnvironment(Part):
    """An environment of the catalogue."""

    name: str
    similarity: float
    """Of the words in which both are described, 0 to 1."""


class UnderexploredFact(ThemeFact):
    """Whether the domain is far from those of the environments that are known."""

    nearest: tuple[KnownEnvironment, ...]
    near_from: float
    """Similarity from which on one is near."""
    entries: int
    """Of the catalogue."""
    catalogue: str
    words: tuple[str, ...]
    """By which the environment was compared."""


class ThemeFacts(Part):
    """All that was measured."""

    agents: AgentsFact
    decisions: DecisionsFact
    delay: DelayFact
    hidden: HiddenFact
    tools: ToolsFact
    curriculum: CurriculumFact
    audit: AuditFact
    underexplored: UnderexploredFact

    def named(self) -> dict[str, ThemeFact]:
        """Each by its name."""
        return dict(self)


class ThemeCriterion(Part):
    """One criterion of one theme."""

    theme: str
    """The theme's number."""
    criterion: str
    points: int
    """What was earned: all of it or nothing."""
    of: int
    by: str
    """Who decided: ``measured``, ``author`` or, with no points, ``nobody``."""
    reason: str
    """Why, in one or two sentences."""


class ThemeReport(StationRecord):
    """Which of the hackathon's themes an environment serves, and its problem statement."""

    kind: ClassVar[str] = "theme"
    version: ClassVar[int] = 1
    station: ClassVar[str] = "theme"

    environment: str
    seed: int
    theme: str | None
    """The chosen one's number; None where none is."""
    why: str
    """Why it was chosen, or why none was."""
    totals: dict[str, int]
    """Each theme's points, 0 to 10."""
    points: tuple[ThemeCriterion, ...]
    facts: ThemeFacts
    words: str
    """The file of the author's words."""
    statement: Statement
    drafted_by: str | None
    """The model that drafted the words; None where a human wrote them."""
    confirmed: bool
    """Whether the author stands by the statement."""
    missing: tuple[str, ...]
    """What the statement lacks."""
    notes: tuple[str, ...]
    config: JsonObject
    """The parts of the config that it was made by."""
