"""Is the solution shown? Judged by sending back what a reset shows, and seeing whether that solves the task."""

from __future__ import annotations

from gonogo.records.submission import GradedTask
from gonogo.submission.graders.base import (
    GraderAnswer,
    RunRecords,
    each_task,
    failed,
    passed,
    unknown,
)

__all__ = ["judge_shown"]


def judge_shown(evidence: RunRecords, places: frozenset[str]) -> GraderAnswer:
    """Judge what some places show at a reset.

    Args:
        evidence: The records.
        places: ``observation``, ``state`` or ``metadata``.
    """
    return each_task((flown.task, judge_task(flown, places)) for flown in evidence.grade.tasks)


def judge_task(flown: GradedTask, places: frozenset[str]) -> GraderAnswer:
    """One task's values."""
    shown = flown.shown
    leaks = [leak for leak in shown.leaks if leak.where in places]
    if leaks:
        first = leaks[0]
        said = (
            f"{first.path} of the {first.where} at reset, {first.way} as {first.field}, "
            f"solves {first.solved} of {first.seeds} episodes; another seed's value solves "
            f"{first.control}"
        )
        return failed(said, leaks=[leak.model_dump() for leak in leaks])
    if not shown.judged:
        return unknown("the environment never says whether an episode succeeded")
    tried = sum(shown.tried[place] for place in places)
    return passed(f"{tried} ways to send back what is shown there, none solves it", tried=tried)
