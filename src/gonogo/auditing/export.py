"""An audit for other programs and pages, beside its record in the run's folder.

``audit.sarif`` is for code scanning, ``audit-badge.json`` and ``audit-badge.svg`` are for a README. It judges
nothing, and so gives no verdict.
"""

from __future__ import annotations

import json

from gonogo.auditing.badge import endpoint, picture
from gonogo.auditing.sarif import sarif_log
from gonogo.auditing.source_locations import Places
from gonogo.config import RunConfig
from gonogo.env.environment import Env
from gonogo.records.audit import AuditReport
from gonogo.records.contract import ContractReport
from gonogo.records.files import write_text

__all__ = ["run"]

SARIF, BADGE, PICTURE = "audit.sarif", "audit-badge.json", "audit-badge.svg"


def run(run: RunConfig) -> None:
    """Write what the run's audit says as SARIF and as a badge.

    Args:
        run: The config; its ``out`` holds the audit and the map.

    Raises:
        TargetError: There is no environment at the target.
        MissingRecord: The run has no audit or no map.
        StaleRecord: One of them is of another version of gonogo.
    """
    audit = AuditReport.load(run.out)
    places = Places(Env.of(run).target, ContractReport.load(run.out), run.reward)
    log = json.dumps(sarif_log(audit, places), ensure_ascii=False, indent=2)
    write_text(run.out / SARIF, f"{log}\n")
    write_text(run.out / BADGE, f"{json.dumps(endpoint(audit))}\n")
    write_text(run.out / PICTURE, picture(audit))
