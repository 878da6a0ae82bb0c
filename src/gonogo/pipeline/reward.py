"""gonogo reward: the audit before, the reward, the audit after."""

from __future__ import annotations

import gonogo.reward.upgrade as reward_station
from gonogo.config import RunConfig
from gonogo.errors import MissingRecord, StaleRecord
from gonogo.pipeline.audit import audit
from gonogo.pipeline.gates import ensure_map, first
from gonogo.records.record import Verdict

__all__ = ["REAUDIT", "upgrade"]


REAUDIT = "reaudit"


def upgrade(run: RunConfig, *, overwrite: bool = False) -> Verdict:
    """Write a reward for the environment and audit both sides; map and audit come first where they are not there.

    Args:
        run: The config.
        overwrite: Whether a reward that was edited is replaced.

    Returns:
        The reward station's verdict.
    """
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
