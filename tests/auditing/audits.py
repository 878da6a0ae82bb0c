"""Audits by the station alone, of environments of the zoo, for tests of what one comes to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.records_made import contract_report

from gonogo import config
from gonogo.auditing.audit import run
from gonogo.env.target import resolve, source_of
from gonogo.records.audit import AuditReport
from gonogo.records.record import Verdict
from gonogo.rollouts.watch import Watch

CASES = "tests.zoo.cases"

Json = dict[str, Any]
Audit = tuple[Verdict, AuditReport]


def audit(name: str, out: Path, *, solve: bool = True, **fields: Any) -> Audit:
    """Audit one class of the zoo; the verdict and the record."""
    given = {"target": f"{CASES}.{name}", "audit.seeds": 8, "audit.search": 600}
    if solve:
        given["audit.reference"] = f"{CASES}.{name.partition(':')[0]}:solve"
    return fly_audit(out, {**given, **fields})


def fly_audit(
    out: Path,
    given: Json,
    *tasks: Json,
    findings: Sequence[Json] = (),
    watch: Watch | None = None,
) -> Audit:
    """Audit by the station alone, with a map that somebody left; the verdict and the record."""
    chosen = config.load(None, {**given, "out": str(out)})
    source = source_of(resolve(chosen.target))
    contract_report(*tasks, findings=findings, source_hash=source).save(out)
    return run(chosen, watch=watch), AuditReport.load(out)


def blocked_of(target: str, out: Path, budget: int) -> set[str]:
    """What blocks after an audit by the station alone of one class, with few steps.

    Args:
        target: Its import path.
        out: Where the records go.
        budget: How many steps.
    """
    given = {"target": target, "audit.seeds": 8, "audit.budget": budget}
    _, record = fly_audit(out, given, {})
    return {finding.id for finding in record.findings if finding.blocks}
