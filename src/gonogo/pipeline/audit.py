"""gonogo audit: the map where there is none, the audit, and what announces it."""

from __future__ import annotations

import gonogo.audit.export as announce_station
import gonogo.audit.run as audit_station
import gonogo.contract.run as map_station
from gonogo.audit import stronger
from gonogo.config import RunConfig
from gonogo.env.source import check_function
from gonogo.pipeline.gates import first, why_map
from gonogo.records.base import AUDIT, Verdict
from gonogo.records.tables import Terminal
from gonogo.runners.open import check_ray

__all__ = ["audit", "audit_unless_stronger"]


def audit(run: RunConfig, *, over_ray: bool = False, force: bool = False) -> Verdict:
    """Audit the target and announce what was found; where the run has no map of it as it is now, map it first.

    Args:
        run: The config.
        over_ray: Whether Ray's workers audit the tasks instead of this process.
        force: Whether it replaces a stronger audit, or one of another reward.

    Returns:
        The audit's verdict. A map that is not GO holds nothing up: what broke the contract is among the
        audit's findings, and what the map could not see is no matter of the audit.

    Raises:
        MissingExtra: The ``ray`` extra is not installed.
        Misuse: The target cannot be audited over Ray, or the run's folder holds a stronger audit or one of
            another reward.
    """
    if over_ray:
        check_ray(run)
    for path in audit_station.functions_of(run):
        check_function(path, "audit")
    if not force:
        stronger.check_settings(run)
    if (stale := why_map(run)) is not None:
        first("map", stale)
        map_station.run(run)
    verdict = audit_station.run(run, over_ray=over_ray, force=force)
    announce_station.run(run)
    return verdict


def audit_unless_stronger(run: RunConfig) -> Verdict:
    """Audit, unless the folder holds a stronger audit of the same reward: then its verdict; as :func:`audit`."""
    if not (less := stronger.weaker(run)):
        return audit(run)
    said = (
        f"audit: the one in {run.out} is stronger than this config's and stands ({', '.join(less)})"
    )
    Terminal(stderr=True).print(said, markup=False, highlight=False)
    return Verdict[AUDIT.read(run.out)["verdict"]]
