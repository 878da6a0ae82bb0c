"""The grade station: the checks that OpenEnv names and does not grade, from what map and audit have seen.

It leaves ``grade.json``, what was flown beside, and ``openenv_report.json``, a report of OpenEnv's own schema
that OpenEnv's own registry, scheduler and severity policy have made. A check that fails is NO-GO. One that the
evidence does not answer holds; one that does not apply is not in the report.
"""

from __future__ import annotations

from collections.abc import Sequence

from openenv.validation import CheckResult, CheckStatus

from gonogo.config import RunConfig
from gonogo.env.environment import Env
from gonogo.env.target import FolderTarget
from gonogo.errors import Misuse
from gonogo.records.audit import AuditReport
from gonogo.records.contract import ContractReport
from gonogo.records.files import write_text
from gonogo.records.provenance import source_hash
from gonogo.records.record import Verdict
from gonogo.records.submission import GradeReport
from gonogo.records.terminal import Terminal
from gonogo.submission.grade.flights import fly_evidence
from gonogo.submission.grade.table import print_report
from gonogo.submission.graders.canaries import read_canaries
from gonogo.submission.graders.report import make_report, read_manifest

__all__ = ["REPORT", "run"]

REPORT = "openenv_report.json"


def run(run: RunConfig) -> Verdict:
    """Grade the target from the records of the run, write the report, print it.

    Args:
        run: The config; its ``out`` holds the records of ``map`` and ``audit``.

    Returns:
        GO where every check that applies passes, NO_GO where one fails, else HOLD.

    Raises:
        Misuse: The target is no folder: OpenEnv's report is about a package. Or the map or the audit is about
            another reward than the environment's own.
        TargetError: OpenEnv can validate no package there.
        RecordError: The map or the audit is missing, or of another version of the source.
        EnvironmentFailure: The environment could not be started.
        PolicyFailure: A policy that is meant to succeed failed.
    """
    target = Env.of(run).target
    if not isinstance(target, FolderTarget):
        raise Misuse(f"OpenEnv's report is about a package: give its folder, not {run.target!r}")
    declared = read_manifest(target.folder)
    found: GradeReport | None = None
    if not isinstance(declared, Exception):
        source = source_hash(target.folder)
        mapped, audit = ContractReport.load(run.out, source), AuditReport.load(run.out, source)
        if other := other_reward(mapped, audit):
            raise Misuse(
                f"OpenEnv's checks are about the environment's own reward, and {run.out} holds {other}: "
                f"audit and grade with another --out, or run gonogo audit {run.target} --out {run.out} --force without "
                "that, then grade"
            )
        run = run.within(audit.config["rollout"]["max_turns"])
        canaries = read_canaries(target.folder, declared.capabilities.canaries)
        found = fly_evidence(run, target, mapped, audit, canaries)
        found.save(run.out)
    report = make_report(target.folder, run.out, declared)
    write_text(run.out / REPORT, report.model_dump_json(indent=2) + "\n")
    verdict, reason = judge(report.results)
    if found is not None:
        # OpenEnv makes the report from the record, and only the report has the verdict.
        found.model_copy(update={"verdict": verdict, "reason": reason}).save(run.out)
    print_report(report.results, str(report.verdict.value), verdict, Terminal())
    return verdict


def other_reward(mapped: ContractReport, audit: AuditReport) -> str | None:
    """What the records are about, in words, where it is another reward than the environment's own."""
    if audit.reward_hash is not None:
        return f"an audit with --reward {audit.config['reward']}"
    if functions := audit.config["audit"]["rewards"]:
        return f"an audit with --rewards {', '.join(functions)}"
    return None if mapped.reward_hash is None else "a map that an audit with --reward made"


def judge(results: Sequence[CheckResult]) -> tuple[Verdict, str]:
    """One verdict for all results, and its reason."""
    passing = sum(result.status is CheckStatus.PASS for result in results)
    failing = [result.check_id for result in results if result.status is CheckStatus.FAIL]
    counted = f"{passing} of {len(results)} checks pass"
    if failing:
        return Verdict.NO_GO, f"{counted}; failing: {', '.join(failing)}"
    if results and passing == len(results):
        return Verdict.GO, counted
    return Verdict.HOLD, f"{counted}, and none fails"
