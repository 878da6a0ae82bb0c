"""Measured time and memory against the declared."""

from __future__ import annotations

from openenv.validation import ResourceDeclaration

from gonogo.records.submission import ResourceUse
from gonogo.submission.graders.base import GraderAnswer, failed, passed, unknown

__all__ = ["within"]


def within(used: ResourceUse, declared: ResourceDeclaration) -> GraderAnswer:
    """Judge what was measured.

    Args:
        used: What was measured.
        declared: The manifest's budget.
    """
    if not used.episodes:
        return unknown("no episode was measured")
    measured = used.model_dump()
    if used.lost is not None:
        return failed(f"an episode was lost: {used.lost}", **measured)
    seconds, memory = used.seconds, used.memory_mb
    if seconds > declared.episode_timeout_s:
        said = f"an episode took {seconds:.2f} s, and {declared.episode_timeout_s:g} s are declared"
        return failed(said, **measured)
    if memory is None:
        return unknown("this machine does not tell a process's peak of memory", **measured)
    if memory > declared.memory_mb:
        said = f"the process took {memory:.0f} MB, and {declared.memory_mb} MB are declared"
        return failed(said, **measured)
    said = f"{used.episodes} episodes: at most {seconds:.2f} s each and {memory:.0f} MB"
    return passed(said, **measured)
