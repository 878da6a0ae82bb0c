"""The page's charts, as plain numbers for the template: lines in percent of their box, bars in percent of their row.

Boxes stretch with the page, so the drawing has no text; labels stand beside it as text of the page.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gonogo.records.evaluation import EvaluationReport
from gonogo.records.record import Estimate
from gonogo.records.training import TrainingRow
from gonogo.rollouts.summary import BASELINE

__all__ = ["RowPlaces", "component_charts", "curves", "interval", "scale", "span"]

STAGES = {"sft": "Supervised (SFT)", "grpo": "Reinforcement (GRPO)"}
REWARD, OVERALL, VALIDATION = "reward/", "reward/overall", "validation/score"
MOST_POINTS = 400
"""Points of a line; of a longer one, evenly chosen rows are drawn."""


@dataclass(frozen=True, slots=True)
class RowPlaces:
    """A mean and its interval as places in percent of a row."""

    mean: float
    left: float
    width: float
    constant: bool


@dataclass(frozen=True, slots=True)
class StepChart:
    """A line by training step, behind it others.

    Attributes:
        title: Above it.
        low: End of the vertical axis.
        high: Its other end.
        first_step: End of the horizontal axis.
        last_step: Its other end.
        line: What the chart is about, as a path.
        thin: The overall reward of a component's chart, validation of another one.
        dots: Validation, point by point.
        untrained: Place of the untrained model's score; None where it has none.
        first: First value of the line that the title names; None where there is none.
        last: Its last value.
    """

    title: str
    low: float
    high: float
    first_step: int
    last_step: int
    line: str
    thin: str
    dots: str = ""
    untrained: float | None = None
    first: float | None = None
    last: float | None = None


def curves(rows: Sequence[TrainingRow], evaluation: EvaluationReport | None) -> list[StepChart]:
    """A chart for each part of the training: the reward, validation, and the untrained model's score.

    Args:
        rows: The training log's.
        evaluation: The evaluation's record, if there is one.
    """
    parts = [(stage, [r for r in rows if r.stage == stage]) for stage in STAGES]
    parts = [(stage, found) for stage, found in parts if found]
    drawn = [points(found, name) for _, found in parts for name in (OVERALL, VALIDATION)]
    low, high = span(value for line in drawn for _, value in line)
    base = None if evaluation is None else evaluation.policies.get(BASELINE)
    untrained = None if base is None else base.score.mean
    return [
        StepChart(
            STAGES[stage],
            low,
            high,
            *first_and_last(found),
            line=path(points(found, OVERALL), found, low, high),
            thin=path(points(found, VALIDATION), found, low, high),
            dots=dots(points(found, VALIDATION), found, low, high),
            untrained=None if untrained is None else place(untrained, low, high),
            last=last(found, VALIDATION) or last(found, OVERALL),
        )
        for stage, found in parts
    ]


def component_charts(rows: Sequence[TrainingRow]) -> list[StepChart]:
    """A small chart for each reward component in reinforcement, the overall reward behind it."""
    found = [row for row in rows if row.stage == "grpo"]
    names = sorted({n for row in found for n in row.numbers if n.startswith(REWARD)} - {OVERALL})
    lines = [points(found, name) for name in (OVERALL, *names)]
    low, high = span(value for line in lines for _, value in line)
    return [
        StepChart(
            name.removeprefix(REWARD),
            low,
            high,
            *first_and_last(found),
            line=path(points(found, name), found, low, high),
            thin=path(points(found, OVERALL), found, low, high),
            first=points(found, name)[0][1],
            last=points(found, name)[-1][1],
        )
        for name in names
        if points(found, name)
    ]


def interval(estimate: Estimate, low: float, high: float) -> RowPlaces | None:
    """A mean and its interval as places in percent of a row from ``low`` to ``high``; None without a mean."""
    if estimate.mean is None or estimate.ends is None:
        return None
    left, right = (100 - place(end, low, high) for end in estimate.ends)
    mean = 100 - place(estimate.mean, low, high)
    return RowPlaces(mean, left, right - left, estimate.ci95 is None)


def scale(estimates: Iterable[Estimate]) -> tuple[float, float]:
    """An axis that holds estimates with their intervals; as :func:`span`."""
    held = [(each.mean, *each.ends) for each in estimates if each.mean is not None and each.ends]
    return span(end for ends in held for end in ends)


def span(values: Iterable[float]) -> tuple[float, float]:
    """An axis that holds 0 and all values; from 0 to 1 where that does."""
    held = [0.0, *values]
    low, high = min(held), max(held)
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    return low, high if high > low else low + 1.0


def points(rows: Sequence[TrainingRow], name: str) -> list[tuple[float, float]]:
    """Steps and values of the rows that have a finite number of this name."""
    found = [
        (float(row.step), float(row.numbers[name]))
        for row in rows
        if name in row.numbers and math.isfinite(row.numbers[name])
    ]
    every = math.ceil(len(found) / MOST_POINTS)
    return found if every < 2 else [*found[:-1:every], found[-1]]


def first_and_last(rows: Sequence[TrainingRow]) -> tuple[int, int]:
    """The first step and the last."""
    steps = [row.step for row in rows]
    return min(steps), max(steps)


def last(rows: Sequence[TrainingRow], name: str) -> float | None:
    """The last value of a name, if there is one."""
    found = points(rows, name)
    return found[-1][1] if found else None


def place(value: float, low: float, high: float) -> float:
    """Percent from the top of a box in which ``high`` is the top."""
    return round(100 * (high - value) / (high - low), 3)


def spots(
    line: Sequence[tuple[float, float]], rows: Sequence[TrainingRow], low: float, high: float
) -> list[tuple[float, float]]:
    """Points in percent of a box as wide as the rows' steps."""
    steps = [row.step for row in rows]
    start, width = min(steps), max(max(steps) - min(steps), 1)
    return [(round(100 * (x - start) / width, 3), place(y, low, high)) for x, y in line]


def path(
    line: Sequence[tuple[float, float]], rows: Sequence[TrainingRow], low: float, high: float
) -> str:
    """A line as an SVG path in a box of 100 by 100; empty where there is none."""
    at = spots(line, rows, low, high)
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in at) if at else ""


def dots(
    line: Sequence[tuple[float, float]], rows: Sequence[TrainingRow], low: float, high: float
) -> str:
    """Points as an SVG path of lines without length, whose round ends stay round in a stretched box."""
    return "".join(f"M{x:g} {y:g}h0" for x, y in spots(line, rows, low, high))
