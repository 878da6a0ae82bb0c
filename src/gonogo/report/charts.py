"""The page's charts, as plain numbers for the template: lines in percent of their box, bars in percent of their row.

Boxes stretch with the page, so the drawing has no text; labels stand beside it as text of the page.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from gonogo.rollout.summary import BASELINE

__all__ = ["component_charts", "curves", "interval"]

Json = dict[str, Any]

STAGES = {"sft": "Supervised (SFT)", "grpo": "Reinforcement (GRPO)"}
REWARD, OVERALL, VALIDATION = "reward/", "reward/overall", "validation/score"
MOST_POINTS = 400
"""Points of a line; of a longer one, evenly chosen rows are drawn."""


def curves(rows: Sequence[Json], evaluation: Json | None) -> list[Json]:
    """A chart for each part of the training: the reward, validation, and the untrained model's score.

    Args:
        rows: The training log's.
        evaluation: The evaluation's record, if there is one.
    """
    parts = [(stage, [r for r in rows if r.get("stage") == stage]) for stage in STAGES]
    parts = [(stage, found) for stage, found in parts if found]
    drawn = [points(found, name) for _, found in parts for name in (OVERALL, VALIDATION)]
    low, high = span(value for line in drawn for _, value in line)
    base = None if evaluation is None else evaluation["policies"].get(BASELINE)
    untrained = None if base is None else base["score"]["mean"]
    return [
        {
            "title": STAGES[stage],
            **axis(found, low, high),
            "overall": path(points(found, OVERALL), found, low, high),
            "validation": path(points(found, VALIDATION), found, low, high),
            "dots": dots(points(found, VALIDATION), found, low, high),
            "untrained": None if untrained is None else place(untrained, low, high),
            "last": last(found, VALIDATION) or last(found, OVERALL),
        }
        for stage, found in parts
    ]


def component_charts(rows: Sequence[Json]) -> list[Json]:
    """A small chart for each reward component in reinforcement, the overall reward behind it."""
    found = [row for row in rows if row.get("stage") == "grpo"]
    names = sorted({name for row in found for name in row if name.startswith(REWARD)} - {OVERALL})
    lines = [points(found, name) for name in (OVERALL, *names)]
    low, high = span(value for line in lines for _, value in line)
    return [
        {
            "title": name.removeprefix(REWARD),
            **axis(found, low, high),
            "line": path(points(found, name), found, low, high),
            "overall": path(points(found, OVERALL), found, low, high),
            "first": points(found, name)[0][1],
            "last": points(found, name)[-1][1],
        }
        for name in names
        if points(found, name)
    ]


def interval(estimate: Json, low: float, high: float) -> Json | None:
    """A mean and its interval as places in percent of a row from ``low`` to ``high``; None without a mean."""
    if estimate["mean"] is None:
        return None
    ends = estimate["ci95"] or [estimate["mean"]] * 2
    left, right = (100 - place(end, low, high) for end in ends)
    return {
        "mean": 100 - place(estimate["mean"], low, high),
        "left": left,
        "width": right - left,
        "constant": estimate["ci95"] is None,
    }


def span(values: Iterable[float]) -> tuple[float, float]:
    """An axis that holds 0 and all values; from 0 to 1 where that does."""
    held = [0.0, *values]
    low, high = min(held), max(held)
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    return low, high if high > low else low + 1.0


def points(rows: Sequence[Json], name: str) -> list[tuple[float, float]]:
    """Steps and values of the rows that have a finite number of this name."""
    found = [
        (float(row["step"]), float(value))
        for row in rows
        if isinstance(value := row.get(name), int | float) and math.isfinite(value)
    ]
    every = math.ceil(len(found) / MOST_POINTS)
    return found if every < 2 else [*found[:-1:every], found[-1]]


def axis(rows: Sequence[Json], low: float, high: float) -> Json:
    """Ends of both axes, as the page says them."""
    steps = [row["step"] for row in rows]
    return {"low": low, "high": high, "first_step": min(steps), "last_step": max(steps)}


def last(rows: Sequence[Json], name: str) -> float | None:
    """The last value of a name, if there is one."""
    found = points(rows, name)
    return found[-1][1] if found else None


def place(value: float, low: float, high: float) -> float:
    """Percent from the top of a box in which ``high`` is the top."""
    return round(100 * (high - value) / (high - low), 3)


def spots(
    line: Sequence[tuple[float, float]], rows: Sequence[Json], low: float, high: float
) -> list[tuple[float, float]]:
    """Points in percent of a box as wide as the rows' steps."""
    steps = [row["step"] for row in rows]
    start, width = min(steps), max(max(steps) - min(steps), 1)
    return [(round(100 * (x - start) / width, 3), place(y, low, high)) for x, y in line]


def path(line: Sequence[tuple[float, float]], rows: Sequence[Json], low: float, high: float) -> str:
    """A line as an SVG path in a box of 100 by 100; empty where there is none."""
    at = spots(line, rows, low, high)
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in at) if at else ""


def dots(line: Sequence[tuple[float, float]], rows: Sequence[Json], low: float, high: float) -> str:
    """Points as an SVG path of lines without length, whose round ends stay round in a stretched box."""
    return "".join(f"M{x:g} {y:g}h0" for x, y in spots(line, rows, low, high))
