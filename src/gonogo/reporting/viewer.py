"""What the replay viewer is given: a few tasks, each flown by two policies, as numbers and texts.

Every text of an environment or a model goes in as JSON and is shown as text. How many tasks go in is bounded by
their number and their size, and long texts are cut, so that the page stays small; what went in is said on it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from gonogo.plots.telemetry import (
    CLOCK,
    REWARD,
    Order,
    Panel,
    clock_label,
    observations,
    orders_of,
    panels_of,
    series,
)
from gonogo.records.tables import cut, task_text
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.summary import choose_pair, score_of
from gonogo.wire import Observation

MOST_TASKS = 5
MOST_BYTES = 1_500_000
MOST_CHARS = 3000
FINAL = ("components",)
"""Mappings of numbers in the last metadata that are shown entry by entry."""


@dataclass(frozen=True, slots=True)
class ReplayPanel:
    """One signal: its times, and for each entry its values; None where there is none.

    Attributes:
        label: Of the axis.
        unit: As directives write it; None without one.
        names: Of the entries of a vector; empty for a scalar.
        step: Whether a value holds until the next one.
        t: The times.
        v: By entry, a value for each time.
    """

    label: str
    unit: str | None
    names: tuple[str, ...]
    step: bool
    t: list[float]
    v: list[list[float | None]]


@dataclass(frozen=True, slots=True)
class ReplayOrder:
    """A directive: its words, its window, what it limits, and what was said of it when."""

    id: str
    text: str
    start: float
    end: float
    limits: dict[str, float]
    told: list[tuple[float, str]]


@dataclass(frozen=True, slots=True)
class ReplayTurn:
    """What was seen, done and paid in a turn, as texts."""

    saw: str
    did: str
    refused: str | None
    reward: float | None


@dataclass(frozen=True, slots=True)
class ReplayFlight:
    """One flight for the viewer."""

    policy: str
    decoding: str | None
    success: bool | None
    score: float | None
    lost: str | None
    clock: list[float]
    panels: list[ReplayPanel]
    orders: list[ReplayOrder]
    turns: list[ReplayTurn]
    final: list[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class ReplayTask:
    """A task with its two flights."""

    index: int
    label: str
    why: str
    unit: str
    flights: list[ReplayFlight]


@dataclass(frozen=True, slots=True)
class ReplayData:
    """The viewer's data."""

    pair: tuple[str, str]
    tasks: list[ReplayTask]


def replay_of(episodes: Mapping[str, Sequence[Episode]], shown: int | None) -> ReplayData | None:
    """The viewer's data; None where no task was flown by both.

    Args:
        episodes: By policy, in the order of the tasks.
        shown: Index of the task that the evaluation shows; it comes first.
    """
    if not episodes:
        return None
    left, right = choose_pair(list(episodes))
    chosen = choose_tasks(episodes[left], episodes[right], shown)
    tasks: list[ReplayTask] = []
    size = 0
    for index, why in chosen:
        pair = [episodes[left][index], episodes[right][index]]
        task = ReplayTask(
            index=index,
            label=f"Task {index} ({task_text(pair[0].task)})",
            why=why,
            unit=clock_label(pair),
            flights=[flight_of(episode, panels_of(pair)) for episode in pair],
        )
        size += len(json.dumps(asdict(task)))
        if tasks and size > MOST_BYTES:
            break
        tasks.append(task)
    return ReplayData((left, right), tasks) if tasks else None


def choose_tasks(
    before: Sequence[Episode], after: Sequence[Episode], shown: int | None
) -> list[tuple[int, str]]:
    """Tasks to show, each with the reason: the typical one, then failures and the best and worst changes."""
    gains = [
        (new - old, index)
        for index, pair in enumerate(zip(before, after, strict=True))
        for old, new in [(score_of(pair[0]), score_of(pair[1]))]
        if old is not None and new is not None
    ]
    gains.sort()
    wanted: list[tuple[int, str]] = []
    if shown is not None:
        wanted.append((shown, "the second agent's median score"))
    failed = [index for index, episode in enumerate(after) if episode.success is False]
    wanted += [(index, "the second agent fails") for index in failed[:2]]
    wanted += [(index, "the smallest gain in score") for _, index in gains[:1]]
    wanted += [(index, "the largest gain in score") for _, index in gains[-1:]]
    wanted += [(index, "further task") for _, index in gains]
    reasons: dict[int, str] = {}
    for index, why in wanted:
        reasons.setdefault(index, why)
    return list(reasons.items())[:MOST_TASKS]


def flight_of(episode: Episode, panels: Sequence[Panel]) -> ReplayFlight:
    """One flight for the viewer."""
    seen = observations(episode)
    clock = [float(o.get(CLOCK, number)) for number, o in enumerate(seen)]
    if len(clock) <= len(episode.turns):  # lost before its last observation
        clock.append(clock[-1] if clock else 0.0)
    progress = progress_of(episode, clock)
    return ReplayFlight(
        policy=episode.policy,
        decoding=episode.decoding,
        success=episode.success,
        score=score_of(episode),
        lost=episode.error,
        clock=clock,
        panels=[
            *(panel_of(episode, panel) for panel in panels),
            *([] if progress is None else [progress]),
        ],
        orders=[order_of(order, seen) for order in orders_of(episode)],
        turns=[turn_of(turn) for turn in episode.turns],
        final=final_of(episode),
    )


def panel_of(episode: Episode, panel: Panel) -> ReplayPanel:
    """One signal of a flight."""
    clock, values = series(episode, panel)
    return ReplayPanel(
        label=panel.label,
        unit=panel.unit,
        names=panel.names,
        step=panel.field == REWARD,
        t=[float(at) for at in clock],
        v=[[finite(value) for value in column] for column in values.T.tolist()],
    )


def progress_of(episode: Episode, clock: Sequence[float]) -> ReplayPanel | None:
    """The potential that the environment says after each step, where it says one."""
    told = [episode.potential_at_start, *(turn.potential for turn in episode.turns)]
    if all(value is None for value in told[1:]):
        return None
    values = [None if value is None else finite(value) for value in told]
    return ReplayPanel("Progress", None, (), False, list(clock[: len(values)]), [values])


def order_of(order: Order, seen: Sequence[Observation]) -> ReplayOrder:
    """A directive, and what was said of it when."""
    told: list[tuple[float, str]] = []
    for observation in seen:
        for item in observation.get("directives") or ():
            if str(item["id"]) == order.id and (not told or told[-1][1] != str(item["status"])):
                told.append((float(observation.get(CLOCK, 0.0)), str(item["status"])))
    return ReplayOrder(order.id, order.text, order.start, order.end, order.limits, told)


def turn_of(turn: Turn) -> ReplayTurn:
    """What was seen, done and paid in a turn, as texts."""
    did = turn.reply or "" if turn.action is None else text_of(turn.action)
    seen = turn.text or "\n".join(f"{k}: {text_of(v)}" for k, v in turn.observation.items())
    return ReplayTurn(
        saw=cut(seen, MOST_CHARS),
        did=cut(did, MOST_CHARS),
        refused=None if turn.invalid is None else cut(turn.invalid, MOST_CHARS),
        reward=None if turn.reward is None else finite(turn.reward),
    )


def final_of(episode: Episode) -> list[tuple[str, float]]:
    """Numbers in the last metadata, such as components and robustness, those in mappings by their own names."""
    found: list[tuple[str, float]] = []
    for name, value in episode.final_metadata.items():
        entries = value.items() if isinstance(value, dict) else [("", value)]
        for entry, number in entries:
            if isinstance(number, int | float) and not isinstance(number, bool):
                label = entry if name in FINAL else f"{name} {entry}".strip()
                if math.isfinite(number):
                    found.append((label, float(number)))
    return found


def finite(value: float) -> float | None:
    """A number that JSON can hold, in six digits; None for the others."""
    return float(f"{value:.6g}") if math.isfinite(value) else None


def text_of(value: Any) -> str:
    """A value as a model writes it."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
