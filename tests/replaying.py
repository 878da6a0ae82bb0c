"""A file of episodes flown again, as ``gonogo replay`` does it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gonogo import api
from gonogo.evaluation.replay import ReplayReport


def replay(
    file: Path,
    target: str | None,
    reward: Path | None = None,
    rewards: Sequence[str] = (),
    success: str | None = None,
    timeout_s: float | None = None,
) -> ReplayReport:
    """What became of the episodes; without a target in the environment that they name."""
    return api.replay_file(
        file, target, reward=reward, rewards=rewards, success=success, timeout_s=timeout_s
    )
