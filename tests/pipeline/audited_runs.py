"""Runs whose folder holds an audit, for the gates before a training."""

from __future__ import annotations

from pathlib import Path

from tests.records_made import audit_config, audit_report, finding

from gonogo import config
from gonogo.env.target import resolve, source_of

ROOT = Path(__file__).parents[2]


def audited(
    out: Path, *found: str, verdict: str = "NO_GO", rewards: tuple[str, ...] = ()
) -> config.RunConfig:
    """A run whose folder holds an audit of its target, perhaps of reward functions instead of its own reward."""
    target = "tests.zoo.cases.paid_for_idling:Sound"
    run = config.load(None, {"target": target, "out": str(out), "theme.required": False})
    source = source_of(resolve(target))
    audit_report(
        *map(finding, found),
        target=target,
        verdict=verdict,
        source_hash=source,
        config=audit_config(rewards=list(rewards)),
    ).save(out)
    return run
