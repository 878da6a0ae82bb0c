"""What every grader shares: the records it answers from, the three things that it may answer, and three common ways.

A record that is missing or of another version of the source is no evidence, and a check without evidence is
skipped with the reason. OpenEnv has no other word for "cannot tell"; a pass it never is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

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
from gonogo.records.tables import task_text
from gonogo.wire import JsonObject, JsonValue, TaskOptions

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


def passed(said: str, **measured: JsonValue) -> GraderAnswer:
    """The check holds."""
    return GraderAnswer(CheckStatus.PASS, (said,), measured)


def failed(said: str, **measured: JsonValue) -> GraderAnswer:
    """The check is broken."""
    return GraderAnswer(CheckStatus.FAIL, (said,), measured)


def unknown(said: str, **measured: JsonValue) -> GraderAnswer:
    """The evidence does not tell, for this reason."""
    return GraderAnswer(CheckStatus.SKIP, (said,), measured)


def decided(holds: bool, said: str, **measured: JsonValue) -> GraderAnswer:
    """The check holds or is broken, as a comparison says."""
    return (passed if holds else failed)(said, **measured)


Judge = Callable[[RunRecords, Subject], GraderAnswer]
"""Answers a check from the evidence about a package."""


@dataclass(slots=True)
class EvidenceGrader:
    """One check, answered from records; a :class:`openenv.validation.Grader`.

    Attributes:
        check_id: OpenEnv's id.
        level: OpenEnv's level.
        judge: Answers from the evidence.
        remediation: What an author changes where it fails.
        requires_capabilities: Declared capabilities without which the check does not apply.
        declared: Whether the check says anything about what a manifest declares.
        depends_on: Checks that have to pass for this one to mean anything.
        requires_provider: Nothing: the evidence was flown before.
    """

    check_id: str
    level: Level
    judge: Judge
    remediation: str
    requires_capabilities: frozenset[str]
    declared: Callable[[NormalizedManifest], bool]
    depends_on: tuple[str, ...]
    requires_provider: frozenset[ProviderCapability] = frozenset()

    def applies_to(self, manifest: NormalizedManifest) -> bool:
        """Whether the check says anything about what the manifest declares."""
        return self.declared(manifest)

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


def check(
    check_id: str,
    remediation: str,
    *,
    requires: str | None = None,
    declared: Callable[[NormalizedManifest], bool] = lambda manifest: True,
) -> Callable[[Judge], EvidenceGrader]:
    """Makes the grader of a check from the function that answers it.

    Args:
        check_id: OpenEnv's id; its first word is the level.
        remediation: What an author changes where it fails.
        requires: A declared capability without which the check does not apply, or None.
        declared: Whether the check says anything about what a manifest declares.
    """
    level = Level[check_id.partition(".")[0].upper()]
    # Where the same actions are paid differently, no semantic check means anything.
    depends_on = ("runtime.episode_determinism",) if level is Level.SEMANTIC else ()
    capabilities = frozenset({requires} if requires else ())

    def grader(judge: Judge) -> EvidenceGrader:
        return EvidenceGrader(
            check_id, level, judge, remediation, capabilities, declared, depends_on
        )

    return grader


def each_task(answers: Iterable[tuple[TaskOptions, GraderAnswer]]) -> GraderAnswer:
    """One answer for all tasks: the failing ones if any fails, else those that cannot be told, else all."""
    known = list(answers)
    if not known:
        return unknown("no task was flown")
    statuses = {answer.status for _, answer in known}
    worst = next(s for s in (CheckStatus.FAIL, CheckStatus.SKIP, CheckStatus.PASS) if s in statuses)
    said = tuple(
        f"{task_text(task)}: {' '.join(answer.said)}"
        for task, answer in known
        if answer.status is worst
    )
    measured: JsonObject = {"tasks": [{"task": task, **answer.measured} for task, answer in known]}
    return GraderAnswer(worst, said, measured)


def each_flown_task(judge: Callable[[GradedTask], GraderAnswer]) -> Judge:
    """Answers for all tasks from the answer to what was flown on one."""
    return lambda evidence, subject: each_task(
        (flown.task, judge(flown)) for flown in evidence.grade.tasks
    )


def within(used: ResourceUse, declared: ResourceDeclaration) -> GraderAnswer:
    """Whether measured time and memory are within the declared.

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
    """Whether some places show the solution at a reset: what they show was sent back, to see if that solves the task.

    Args:
        evidence: The records.
        places: ``observation``, ``state`` or ``metadata``.
    """

    def judge_task(flown: GradedTask) -> GraderAnswer:
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

    return each_task((flown.task, judge_task(flown)) for flown in evidence.grade.tasks)
