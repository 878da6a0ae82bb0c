"""What the replay viewer is given: a few tasks, each flown by two policies, as numbers and texts.

Every text of an environment or a model goes in as JSON and is shown as text. How many tasks go in is bounded by
their number and their size, and long texts are cut, so that the page stays small; what went in is said on it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
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
from gonogo.rollout.episodes import Episode, Turn
from gonogo.rollout.summary import choose_pair, score_of

__all__ = ["replay_of", "turn_of"]

Json = dict[str, Any]

MOST_TASKS = 5
MOST_BYTES = 1_500_000
MOST_CHARS = 3000
FINAL = ("components",)
"""Mappings of numbers in the last metadata that are shown entry by entry."""


def replay_of(episodes: Mapping[str, Sequence[Episode]], shown: int | None) -> Json | None:
    """The viewer's data.

    Args:
        episodes: By policy, in the order of the tasks.
        shown: Index of the task that the evaluation shows; it comes first.

    Returns:
        ``pair``, ``clock`` and ``tasks``, each with its two flights; None where no task was flown by both.
    """
    if not episodes:
        return None
    left, right = choose_pair(list(episodes))
    chosen = choose_tasks(episodes[left], episodes[right], shown)
    tasks: list[Json] = []
    size = 0
    for index, why in chosen:
        pair = [episodes[left][index], episodes[right][index]]
        task = {
            "index": index,
            "label": f"Task {index} ({task_text(pair[0].task)})",
            "why": why,
            "unit": clock_label(pair),
            "flights": [flight_of(episode, panels_of(pair)) for episode in pair],
        }
        size += len(json.dumps(task))
        if tasks and size > MOST_BYTES:
            break
        tasks.append(task)
    return {"pair": [left, right], "tasks": tasks} if tasks else None


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


def flight_of(episode: Episode, panels: Sequence[Panel]) -> Json:
    """One flight for the viewer."""
    seen = observations(episode)
    clock = [float(o.get(CLOCK, number)) for number, o in enumerate(seen)]
    if len(clock) <= len(episode.turns):  # lost before its last observation
        clock.append(clock[-1] if clock else 0.0)
    score = score_of(episode)
    rows = [*(panel_of(episode, panel) for panel in panels), progress_of(episode, clock)]
    return {
        "policy": episode.policy,
        "decoding": episode.decoding,
        "success": episode.success,
        "score": score,
        "lost": episode.error,
        "clock": clock,
        "panels": [row for row in rows if row is not None],
        "orders": [order_of(order, seen) for order in orders_of(episode)],
        "turns": [turn_of(turn) for turn in episode.turns],
        "final": final_of(episode),
    }


def panel_of(episode: Episode, panel: Panel) -> Json:
    """One signal: its times, and for each entry its values; null where there is none."""
    clock, values = series(episode, panel)
    return {
        "label": panel.label,
        "unit": panel.unit,
        "names": list(panel.names),
        "step": panel.field == REWARD,
        "t": [float(at) for at in clock],
        "v": [[finite(value) for value in column] for column in values.T.tolist()],
    }


def progress_of(episode: Episode, clock: Sequence[float]) -> Json | None:
    """The potential that the environment says after each step, where it says one."""
    told = [episode.potential_at_start, *(turn.potential for turn in episode.turns)]
    if all(value is None for value in told[1:]):
        return None
    values = [None if value is None else finite(value) for value in told]
    return {
        "label": "Progress",
        "unit": None,
        "names": [],
        "step": False,
        "t": list(clock[: len(values)]),
        "v": [values],
    }


def order_of(order: Order, seen: Sequence[Json]) -> Json:
    """A directive: its words, its window, what it limits, and what was said of it when."""
    told: list[tuple[float, str]] = []
    for observation in seen:
        for item in observation.get("directives") or ():
            if str(item["id"]) == order.id and (not told or told[-1][1] != str(item["status"])):
                told.append((float(observation.get(CLOCK, 0.0)), str(item["status"])))
    return {
        "id": order.id,
        "text": order.text,
        "start": order.start,
        "end": order.end,
        "limits": order.limits,
        "told": told,
    }


def turn_of(turn: Turn) -> Json:
    """What was seen, done and paid in a turn, as texts."""
    did = turn.reply or "" if turn.action is None else text_of(turn.action)
    return {
        "saw": cut(
            turn.text or "\n".join(f"{k}: {text_of(v)}" for k, v in turn.observation.items()),
            MOST_CHARS,
        ),
        "did": cut(did, MOST_CHARS),
        "refused": None if turn.invalid is None else cut(turn.invalid, MOST_CHARS),
        "reward": None if turn.reward is None else finite(turn.reward),
    }


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
