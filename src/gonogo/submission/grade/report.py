"""The grade station: the checks that OpenEnv names and does not grade, from what map and audit have seen.

It leaves ``grade.json``, what was flown beside, and ``openenv_report.json``, a report of OpenEnv's own schema. A check
that fails is NO-GO. One that the evidence does not answer holds; one that does not apply is not in the report.

OpenEnv's parser reads the manifest, its registry selects the checks that apply, its scheduler runs them in the
order of their dependencies, and its severity policy turns the results into its verdict. The lane is the hub's,
which is where OpenEnv puts the statistical checks. Of the six checks that OpenEnv grades itself, only
``static.manifest`` is here; the others need the image that ``openenv validate`` builds.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from openenv.validation import (
    CheckResult,
    CheckStatus,
    GraderRegistry,
    Lane,
    Level,
    ManifestError,
    NormalizedManifest,
    SignatureError,
    Subject,
    apply_policy,
    detect_signature,
    load_policy,
)
from openenv.validation.graders.static import StaticManifestGrader
from openenv.validation.parsers.openenv_yaml import OpenEnvYamlParser
from openenv.validation.report import ValidationReportV2
from openenv.validation.runner import source_digest
from openenv.validation.runtime.scheduler import execute_graders
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from gonogo.config import RunConfig
from gonogo.env.environment import Env
from gonogo.env.target import FolderTarget
from gonogo.errors import Misuse, TargetError
from gonogo.records.audit import AuditReport
from gonogo.records.contract import ContractReport
from gonogo.records.files import write_text
from gonogo.records.provenance import source_hash
from gonogo.records.record import Verdict
from gonogo.records.submission import GradeReport
from gonogo.records.terminal import Terminal
from gonogo.submission.grade import runtime, semantic, statistical
from gonogo.submission.grade.flights import fly_evidence, read_canaries
from gonogo.submission.grade.grader import EvidenceGrader

POLICY, REPORT = "v2", "openenv_report.json"
STYLES = {"pass": "green", "fail": "red", "skip": "yellow", "error": "red"}
GRADERS = tuple(
    each
    for module in (runtime, semantic, statistical)
    for each in vars(module).values()
    if isinstance(each, EvidenceGrader)
)
"""Every check that gonogo grades."""


def read_manifest(root: Path) -> NormalizedManifest | ManifestError:
    """The package's declarations, or what is wrong with them.

    Raises:
        TargetError: The folder is no package that OpenEnv can validate.
    """
    try:
        detect_signature(root)
    except SignatureError as error:
        raise TargetError(str(error)) from error
    try:
        return OpenEnvYamlParser().parse(root)
    except ManifestError as error:
        return error


def make_report(
    root: Path, outputs: Path, manifest: NormalizedManifest | ManifestError
) -> ValidationReportV2:
    """Grade a package from the records of a run.

    Args:
        root: The package.
        outputs: Folder of the records.
        manifest: What :func:`read_manifest` gave.
    """
    policy = load_policy(POLICY)
    registry = GraderRegistry()
    registry.register(StaticManifestGrader(policy.bounds))
    for grader in GRADERS:
        registry.register(grader)
    if isinstance(manifest, ManifestError):
        results = refuse(manifest)
    else:
        subject = Subject(root, manifest, image_ref=None, running=None, outputs_dir=outputs)
        results = execute_graders(registry.select(manifest, Level.STATISTICAL), subject)
    entries = policy.entries_for_lane(Lane.HUB)
    results = sorted(results, key=lambda result: list(entries).index(result.check_id))
    return ValidationReportV2(
        report_schema_version="2",
        target=str(root),
        source_digest=digest(root),
        signature=detect_signature(root),
        manifest=None if isinstance(manifest, ManifestError) else manifest,
        policy_version=policy.policy_version,
        lane=Lane.HUB,
        levels_run=sorted({entries[result.check_id].level for result in results}),
        results=results,
        verdict=apply_policy(results, policy, Lane.HUB),
    )


def refuse(error: ManifestError) -> list[CheckResult]:
    """The results where the declarations are not valid, in OpenEnv's words."""
    first = CheckResult(
        check_id="static.manifest",
        status=CheckStatus.FAIL,
        measured={"schema_errors": len(error.errors)},
        evidence=error.errors,
        remediation=error.remediation,
        duration_s=0.0,
    )
    unmet = [
        CheckResult(
            check_id=grader.check_id,
            status=CheckStatus.SKIP,
            evidence=["unmet dependency: valid manifest"],
            duration_s=0.0,
        )
        for grader in GRADERS
    ]
    return [first, *unmet]


def digest(root: Path) -> str:
    """OpenEnv's digest of the package; empty where it refuses to make one, as its own runner has it."""
    try:
        return source_digest(root)
    except (ValueError, OSError):
        return ""


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
        run = run.within(audit.made_by.rollout.max_turns)
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
        return f"an audit with --reward {audit.made_by.reward}"
    if functions := audit.made_by.audit.rewards:
        return f"an audit with --rewards {', '.join(functions)}"
    return None if mapped.reward_hash is None else "a map that an audit with --reward made"


def judge(results: Sequence[CheckResult]) -> tuple[Verdict, str]:
    """One verdict for all results, and its reason."""
    passing = sum(result.status is CheckStatus.PASS for result in results)
    counted = f"{passing} of {len(results)} checks pass"
    if failing := [each.check_id for each in results if each.status is CheckStatus.FAIL]:
        return Verdict.NO_GO, f"{counted}; failing: {', '.join(failing)}"
    if results and passing == len(results):
        return Verdict.GO, counted
    return Verdict.HOLD, f"{counted}, and none fails"


def print_report(
    results: Sequence[CheckResult], openenv: str, verdict: Verdict, console: Console
) -> None:
    """Print every check, how many there are of each status, and both verdicts.

    Args:
        results: OpenEnv's results.
        openenv: OpenEnv's verdict.
        verdict: Ours.
        console: Where to.
    """
    table = Table("check", "status", "evidence", title="OpenEnv's checks", title_justify="left")
    for result in results:
        status = result.status.value
        said = result.evidence[0] if result.evidence else ""
        more = len(result.evidence) - 1
        said += f" (and {more} more)" if more > 0 else ""
        table.add_row(result.check_id, f"[{STYLES[status]}]{status}[/]", escape(said))
    console.print(table)
    counted = {status: sum(r.status.value == status for r in results) for status in STYLES}
    counts = ", ".join(f"{number} {status}" for status, number in counted.items() if number)
    console.print(
        f"{verdict.name}: {counts}; OpenEnv's severity policy says {openenv}", highlight=False
    )
