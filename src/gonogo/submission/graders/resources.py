"""Measured time and memory against the declared."""

from __future__ import annotations

from openenv.validation import ResourceDeclaration

from gonogo.rollout.types import Json
from gonogo.submission.graders.base import GraderAnswer, failed, passed, unknown

__all__ = ["within"]


def within(measured: Json, declared: ResourceDeclaration) -> GraderAnswer:
    """Judge what was measured.

    Args:
        measured: ``seconds`` of the longest episode, ``memory_mb`` at the peak of the process or None where
            the machine does not tell, ``episodes``, and ``lost``: what lost an episode, or None.
        declared: The manifest's budget.
    """
    if not measured["episodes"]:
        return unknown("no episode was measured")
    if measured["lost"] is not None:
        return failed(f"an episode was lost: {measured['lost']}", **measured)
    seconds, memory = measured["seconds"], measured["memory_mb"]
    if seconds > declared.episode_timeout_s:
        said = f"an episode took {seconds:.2f} s, and {declared.episode_timeout_s:g} s are declared"
        return failed(said, **measured)
    if memory is None:
        return unknown("this machine does not tell a process's peak of memory", **measured)
    if memory > declared.memory_mb:
        said = f"the process took {memory:.0f} MB, and {declared.memory_mb} MB are declared"
        return failed(said, **measured)
    said = f"{measured['episodes']} episodes: at most {seconds:.2f} s each and {memory:.0f} MB"
    return passed(said, **measured)
