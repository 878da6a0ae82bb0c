"""OpenEnv's own report, with the checks that gonogo grades.

OpenEnv's parser reads the manifest, its registry selects the checks that apply, its scheduler runs them in the
order of their dependencies, and its severity policy turns the results into its verdict. The lane is the hub's,
which is where OpenEnv puts the statistical checks. Of the six checks that OpenEnv grades itself, only
``static.manifest`` is here; the others need the image that ``openenv validate`` builds.
"""

from __future__ import annotations

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

from gonogo.errors import TargetError
from gonogo.submission.graders import runtime, semantic, statistical
from gonogo.submission.graders.base import EvidenceGrader

__all__ = ["GRADERS", "make_report", "read_manifest"]

POLICY = "v2"
GRADERS: tuple[type[EvidenceGrader], ...] = tuple(
    getattr(module, name) for module in (runtime, semantic, statistical) for name in module.__all__
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
        registry.register(grader())
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
