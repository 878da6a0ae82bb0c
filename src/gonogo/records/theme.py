"""What ``gonogo theme`` leaves: what was measured of an environment, a theme's points, and the problem statement."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from gonogo.records.record import Part, StationRecord, VerdictName
from gonogo.wire import JsonObject

__all__ = [
    "AgentsFact",
    "AuditFact",
    "CurriculumFact",
    "DecisionsFact",
    "DelayFact",
    "HiddenFact",
    "KnownEnvironment",
    "Statement",
    "ThemeCriterion",
    "ThemeFact",
    "ThemeFacts",
    "ThemeReport",
    "ToolsFact",
    "UnderexploredFact",
]


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
