"""gonogo audit: the map if there is none, the audit, its SARIF and its badge; gonogo reward: an audit on both sides."""

from __future__ import annotations

from collections.abc import Sequence

import gonogo.auditing.audit as audit_station
from gonogo.auditing import export, replacement
from gonogo.auditing.flight_log import functions_of
from gonogo.config import RunConfig
from gonogo.env.acceptance import acceptances
from gonogo.env.environment import Env
from gonogo.env.target import check_function
from gonogo.errors import MissingRecord, StaleRecord
from gonogo.pipeline.gates import accept_named, ensure_map, first
from gonogo.records.audit import AuditReport
from gonogo.records.record import Verdict
from gonogo.records.terminal import Terminal
from gonogo.rollouts.watch import Watch
from gonogo.runners.runner import check_ray

MAP_SHARE = 1 / 3
"""Share of an audit's time that its map may take."""
REAUDIT = "reaudit"
"""Folder of the audit by the new reward, in the run's."""


def audit(
    run: RunConfig,
    env: Env | None = None,
    *,
    guides: Sequence[str] = (),
    over_ray: bool = False,
    force: bool = False,
    accept: str | None = None,
) -> Verdict:
    """Audit the target and export what was found; map it first if the run has no map of it as it is now.

    Args:
        run: The config.
        env: The environment; None for the config's.
        guides: Names of policies, given to the environment as objects, that are meant to succeed.
        over_ray: Whether Ray's workers audit the tasks instead of this process.
        force: Whether it replaces a stronger audit, or one of another reward.
        accept: A finding and why it is accepted, ``FINDING=REASON``, for ``gonogo.yaml``; None where none is.

    Returns:
        The audit's verdict. A map that is not GO holds nothing up: what broke the contract is among the
        audit's findings, and what the map could not see is no matter of the audit.

    Raises:
        MissingExtra: The ``ray`` extra is not installed.
        Misuse: The target cannot be audited over Ray, or the run's folder holds a stronger audit or one of
            another reward.
    """
    if accept is not None:
        accept_named(run, accept)
    acceptances(Env.of(run).target)  # a rule that it breaks is told before anything flies
    if over_ray:
        check_ray(Env.of(run))
    for path in functions_of(run):
        check_function(path, "audit")
    if not force:
        replacement.check_settings(run)
    watch = Watch(60 * run.audit.minutes) if run.audit.budget is None else Watch()
    ensure_map(run, None if watch.seconds is None else watch.within(MAP_SHARE * watch.left))
    verdict = audit_station.run(
        run, env, guides=guides, watch=watch, over_ray=over_ray, force=force
    )
    export.run(run)
    return verdict


def audit_unless_stronger(run: RunConfig) -> Verdict:
    """Audit, unless the folder holds a stronger audit of the same reward: then its verdict; as :func:`audit`."""
    if not (less := replacement.weaker(run)):
        return audit(run)
    said = (
        f"audit: the one in {run.out} is stronger than this config's and stands ({', '.join(less)})"
    )
    Terminal(stderr=True).print(said, markup=False, highlight=False)
    known = acceptances(Env.of(run).target)
    return AuditReport.load(run.out).accepting(known.reason).verdict


def upgrade(run: RunConfig, *, overwrite: bool = False) -> Verdict:
    """Write a reward for the environment and audit both sides; map and audit come first where they are not there.

    Args:
        run: The config.
        overwrite: Whether a reward that was edited is replaced.

    Returns:
        The reward station's verdict.
    """
    from gonogo.reward import upgrade as reward_station  # an audit does without it

    ensure_map(run)
    try:
        reward_station.read_audit(run, run.out, own=True)
    except (MissingRecord, StaleRecord) as error:
        first("audit", str(error))
        audit(run)
    prepared = reward_station.prepare(run, overwrite=overwrite)
    new, again = run.out / reward_station.PROGRAM, run.out / REAUDIT
    audit(run.model_copy(update={"out": again, "reward": new}), force=True)
    return reward_station.conclude(run, prepared, again)
