"""What every grader shares: the records it answers from, the three things that it may answer, and two common questions.

A record that is missing or of another version of the source is no evidence, and a check without evidence is
skipped with the reason. OpenEnv has no other word for "cannot tell"; a pass it never is.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import ClassVar

from openenv.validation import (
    CheckResult,
    CheckStatus,
    Level,
    NormalizedManifest,
    ProviderCapability,
    ResourceDeclaration,
    Subject,
)

from gonogo.errors import RecordError
from gonogo.records.audit import AuditReport
from gonogo.records.contract import ContractReport
from gonogo.records.findings import Finding
from gonogo.records.provenance import source_hash
from gonogo.records.submission import GradedTask, GradeReport, ResourceUse
from gonogo.wire import JsonObject, TaskOptions

__all__ = [
    "EvidenceGrader",
    "GraderAnswer",
    "RunRecords",
    "TaskGrader",
    "each_task",
    "failed",
    "judge_shown",
    "passed",
    "task_text",
    "unknown",
    "within",
]

SHOWN_LINES = 20


@dataclass(frozen=True, slots=True)
class RunRecords:
    """The records of one run, all about the same source.

    Attributes:
        map: What the environment is, and the items of its contract.
        audit: What every policy is paid, task by task.
        grade: Flights for the checks that the other two do not answer.
    """

    map: ContractReport
    audit: AuditReport
    grade: GradeReport

    @classmethod
    def of(cls, subject: Subject) -> RunRecords:
        """Read the records in the subject's outputs folder.

        Raises:
            RecordError: One is missing, or about another version of the source.
        """
        source = source_hash(subject.root)
        folder = subject.outputs_dir
        return cls(
            ContractReport.load(folder, source),
            AuditReport.load(folder, source),
            GradeReport.load(folder, source),
        )

    def found(self, *names: str) -> list[Finding]:
        """Proven findings of some ids, of the map and of the audit."""
        findings = [*self.map.findings, *self.audit.findings]
        return [finding for finding in findings if finding.id in names]


@dataclass(frozen=True, slots=True)
class GraderAnswer:
    """What a grader answers.

    Attributes:
        status: Never ``ERROR``: an error is what OpenEnv makes of a grader that raises.
        said: The evidence, a sentence each.
        measured: The evidence as data, for the field of OpenEnv's result, which is any JSON object.
    """

    status: CheckStatus
    said: tuple[str, ...]
    measured: JsonObject = field(default_factory=dict)


def passed(said: str, **measured: object) -> GraderAnswer:
    """The check holds."""
    return GraderAnswer(CheckStatus.PASS, (said,), dict(measured))


def failed(said: str, **measured: object) -> GraderAnswer:
    """The check is broken."""
    return GraderAnswer(CheckStatus.FAIL, (said,), dict(measured))


def unknown(said: str, **measured: object) -> GraderAnswer:
    """The evidence does not tell, for this reason."""
    return GraderAnswer(CheckStatus.SKIP, (said,), dict(measured))


def each_task(answers: Iterable[tuple[TaskOptions, GraderAnswer]]) -> GraderAnswer:
    """One answer for all tasks: the failing ones if any fails, else those that cannot be told, else all."""
    known = list(answers)
    if not known:
        return unknown("no task was flown")
    for status in (CheckStatus.FAIL, CheckStatus.SKIP, CheckStatus.PASS):
        chosen = [(task, answer) for task, answer in known if answer.status is status]
        if chosen:
            break
    said = tuple(f"{task_text(task)}: {' '.join(answer.said)}" for task, answer in chosen)
    measured = [{"task": task, **answer.measured} for task, answer in known]
    return GraderAnswer(status, said, {"tasks": measured})


def task_text(task: TaskOptions) -> str:
    """A task's reset options on one line."""
    return ", ".join(f"{key}={value}" for key, value in task.items()) or "default"


class EvidenceGrader(ABC):
    """One check, answered from records; a :class:`openenv.validation.Grader`.

    Attributes:
        check_id: OpenEnv's id.
        level: OpenEnv's level.
        requires_capabilities: Declared capabilities without which the check does not apply.
        requires_provider: Nothing: the evidence was flown before.
        depends_on: Checks that have to pass for this one to mean anything.
        remediation: What an author changes where it fails.
    """

    check_id: str
    level: Level
    requires_capabilities: frozenset[str] = frozenset()
    requires_provider: frozenset[ProviderCapability] = frozenset()
    depends_on: tuple[str, ...] = ()
    remediation: ClassVar[str]

    def applies_to(self, manifest: NormalizedManifest) -> bool:
        """Whether the check says anything about what the manifest declares."""
        return True

    @abstractmethod
    def judge(self, evidence: RunRecords, subject: Subject) -> GraderAnswer:
        """Answer from the evidence."""

    def run(self, subject: Subject) -> CheckResult:
        """OpenEnv's result of the check; skipped where the records cannot be relied on."""
        started = time.monotonic()
        try:
            answer = self.judge(RunRecords.of(subject), subject)
        except RecordError as error:
            answer = unknown(str(error))
        return CheckResult(
            check_id=self.check_id,
            status=answer.status,
            measured=answer.measured,
            evidence=list(answer.said[:SHOWN_LINES]),
            remediation=self.remediation if answer.status is CheckStatus.FAIL else None,
            duration_s=time.monotonic() - started,
        )


class TaskGrader(EvidenceGrader):
    """A check that what was flown on each task answers.

    Attributes:
        judge_task: The answer to one task.
    """

    judge_task: ClassVar[Callable[[GradedTask], GraderAnswer]]

    def judge(self, evidence: RunRecords, subject: Subject) -> GraderAnswer:
        """All tasks."""
        judge = type(self).judge_task
        return each_task((flown.task, judge(flown)) for flown in evidence.grade.tasks)


def within(used: ResourceUse, declared: ResourceDeclaration) -> GraderAnswer:
    """Judge what was measured.

    Args:
        used: What was measured.
        declared: The manifest's budget.
    """
    if not used.episodes:
        return unknown("no episode was measured")
    measured = used.model_dump()
    if used.lost is not None:
        return failed(f"an episode was lost: {used.lost}", **measured)
    seconds, memory = used.seconds, used.memory_mb
    if seconds > declared.episode_timeout_s:
        said = f"an episode took {seconds:.2f} s, and {declared.episode_timeout_s:g} s are declared"
        return failed(said, **measured)
    if memory is None:
        return unknown("this machine does not tell a process's peak of memory", **measured)
    if memory > declared.memory_mb:
        said = f"the process took {memory:.0f} MB, and {declared.memory_mb} MB are declared"
        return failed(said, **measured)
    said = f"{used.episodes} episodes: at most {seconds:.2f} s each and {memory:.0f} MB"
    return passed(said, **measured)


def judge_shown(evidence: RunRecords, places: frozenset[str]) -> GraderAnswer:
    """Judge what some places show at a reset.

    Args:
        evidence: The records.
        places: ``observation``, ``state`` or ``metadata``.
    """
    return each_task((flown.task, judge_task(flown, places)) for flown in evidence.grade.tasks)


def judge_task(flown: GradedTask, places: frozenset[str]) -> GraderAnswer:
    """One task's values."""
    shown = flown.shown
    leaks = [leak for leak in shown.leaks if leak.where in places]
    if leaks:
        first = leaks[0]
        said = (
            f"{first.path} of the {first.where} at reset, {first.way} as {first.field}, "
            f"solves {first.solved} of {first.seeds} episodes; another seed's value solves "
            f"{first.control}"
        )
        return failed(said, leaks=[leak.model_dump() for leak in leaks])
    if not shown.judged:
        return unknown("the environment never says whether an episode succeeded")
    tried = sum(shown.tried[place] for place in places)
    return passed(f"{tried} ways to send back what is shown there, none solves it", tried=tried)
