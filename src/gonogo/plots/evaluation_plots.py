"""The two plots of an evaluation: the training curve, and one task before and after the training.

**Reward by training step**, supervised and reinforced parts side by side. The two parts have axes of their own for the
steps, because hundreds of cheap supervised steps would crush the reinforced ones, and share the axis of rewards. The
untrained baseline is the mean score of the untrained model on the held-out tasks, as the evaluation's record says it.
Below the rewards stand the losses, where the log has any: each part has a loss of its own kind, so each has its own
axis.

**Before and after**: the untrained and the trained agent on one task, and everybody's results below. The task shown is
a typical one of the trained agent's, not its best: the one whose score is its median. Where the evaluation flew no
models, the first and the last policy stand in.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure

from gonogo.plots.style import BAD, COLORS, GOOD, OPEN, save, style
from gonogo.plots.telemetry import REWARD, Order, Panel, clock_label, orders_of, panels_of, series
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.record import Estimate
from gonogo.records.training import TrainingRow
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.summary import BASELINE, CANDIDATE, choose_pair, score_of

STATUS_COLORS = {"satisfied": GOOD, "violated": BAD}
WIDTH_CHARS = 125
ROW, BAR, HEAD = 1.75, 0.32, 1.1
"""Heights in inches: of a row of telemetry, of a policy's bar, of titles."""
STAGES = {"sft": "Supervised (SFT)", "grpo": "Reinforcement (GRPO)"}
COMPONENT = "reward/"
OVERALL = "reward/overall"
VALIDATION = "validation/score"
LOSS = "loss"


def choose_task(episodes: Mapping[str, Sequence[Episode]]) -> int | None:
    """Index of the task to show: the right one's median score, of tasks that both flew."""
    left, right = (episodes[name] for name in choose_pair(list(episodes)))
    scores = [
        (score, index)
        for index, (before, after) in enumerate(zip(left, right, strict=True))
        if score_of(before) is not None and (score := score_of(after)) is not None
    ]
    return sorted(scores)[(len(scores) - 1) // 2][1] if scores else None


def draw_before_after(
    episodes: Mapping[str, Sequence[Episode]], record: EvaluationReport, path: Path
) -> None:
    """Draw ``before_after.png``; nothing where no task was flown by both.

    Args:
        episodes: By policy, in the order of the tasks.
        record: The evaluation's; names the task to show.
        path: Where to.
    """
    index = record.shown_task
    if index is None:
        return
    names = choose_pair(list(episodes))
    pair = [episodes[name][index] for name in names]
    panels = panels_of(pair)
    orders = [orders_of(episode) for episode in pair]
    words = describe_orders(orders[0])
    top = ROW * len(panels) + HEAD + 0.19 * words.count("\n")
    bottom = BAR * len(record.policies) + HEAD
    with style():
        figure = Figure(figsize=(11, top + bottom), layout="constrained")
        (upper,), (lower,) = figure.subfigures(2, 1, squeeze=False, height_ratios=(top, bottom))
        task = ", ".join(f"{key} {value}" for key, value in pair[0].task.items())
        upper.suptitle(f"{record.environment}, one task flown twice: {task}", weight="bold")
        if words:
            upper.supxlabel(words, fontsize=9, x=0.01, ha="left", color="#333333")
        draw_flights(upper, pair, panels, orders, names)
        draw_results(lower, record)
        save(figure, path, record.digest())


def describe_orders(orders: Sequence[Order]) -> str:
    """The directives in their own words, a line each, and what the lines above them are."""
    lines = [f"{order.id}: {order.text}" for order in orders if order.text]
    if lines:
        lines.append(
            "Solid: what the agent was shown. Dashed: limits. Dash-dotted: a window closes. The "
            "environment judges its own state, which what it shows may differ from."
        )
    return "\n".join(textwrap.fill(line, WIDTH_CHARS) for line in lines)


def draw_flights(
    figure: SubFigure,
    pair: Sequence[Episode],
    panels: Sequence[Panel],
    orders: Sequence[Sequence[Order]],
    names: Sequence[str],
) -> None:
    """Two columns of telemetry with common axes, a column an agent."""
    grid = figure.subplots(len(panels), 2, sharex=True, sharey="row", squeeze=False)
    for column, episode in enumerate(pair):
        for row, panel in enumerate(panels):
            axes = grid[row][column]
            draw_panel(axes, episode, panel, orders[column], top=row == 0)
            if column == 0:
                axes.set_ylabel(panel.label)
            elif panel.names:
                axes.legend(loc="upper right", ncols=len(panel.names))
        grid[-1][column].set_xlabel(clock_label(pair))
        # Above the two lines of directive labels, where there are any.
        pad = 34 if orders[column] else 8
        grid[0][column].set_title(title_of(names[column], episode), pad=pad, weight="bold")


def title_of(name: str, episode: Episode) -> str:
    """Who flew and what came of it."""
    decoding = f" ({episode.decoding})" if episode.decoding else ""
    outcome = {True: ", success", False: ", no success", None: ""}[episode.success]
    score = score_of(episode)
    return f"{name}{decoding}: " + ("lost" if score is None else f"score {score:.2f}{outcome}")


def draw_panel(
    axes: Axes, episode: Episode, panel: Panel, orders: Sequence[Order], *, top: bool
) -> None:
    """One signal of one flight, against the directives' windows."""
    clock, values = series(episode, panel)
    marker = "o" if panel.field == REWARD else "."
    for number, color in zip(range(values.shape[1]), COLORS, strict=False):
        label = panel.names[number] if panel.names else None
        axes.plot(clock, values[:, number], marker=marker, markersize=4, color=color, label=label)
    for number, order in enumerate(orders):
        color = STATUS_COLORS.get(order.status, OPEN)
        axes.axvline(order.end, color=color, linewidth=1.2, linestyle="-.")
        if order.quiet:
            axes.axvspan(order.start, order.end, color=color, alpha=0.12, linewidth=0)
        if panel.unit in order.limits:
            limit = order.limits[panel.unit]
            signs = (1, -1) if panel.names else (1,)
            for sign in signs:
                axes.hlines(sign * limit, order.start, order.end, color=color, linestyle="--")
        if top:
            axes.annotate(
                f"{order.id} {order.status}",
                (order.end, 1.0 + 0.13 * (number % 2 == 0)),
                xycoords=("data", "axes fraction"),
                ha="right",
                va="bottom",
                fontsize=9,
                color=color,
            )


def draw_results(figure: SubFigure, record: EvaluationReport) -> None:
    """Score and success of every policy with their intervals."""
    n = record.episodes
    left, right = figure.subplots(1, 2, sharey=True)
    names = list(record.policies)
    places = range(len(names))
    for axes, key in ((left, "score"), (right, "success")):
        for place, name in zip(places, names, strict=True):
            entry = record.policies[name]
            estimate = entry.score if key == "score" else entry.success
            draw_estimate(axes, place, estimate, emphasis=name == CANDIDATE)
        axes.set_title(f"Mean episode {key}" if key == "score" else "Success rate")
        axes.set_xlabel(f"{key.capitalize()}, 95 % interval, n = {n} tasks")
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.margins(x=0.06)
    known = [entry.success.mean for entry in record.policies.values()]
    if any(mean is not None for mean in known):
        right.set_xlim(-0.03, 1.03)
    else:
        right.text(0.5, 0.5, "the environment does not say", ha="center", transform=right.transAxes)
    left.set_yticks(list(places), names)
    left.set_ylabel("Policy")
    title = ", ".join([f"{record.environment}: all policies", *record.where(), f"n = {n}"])
    figure.suptitle(title, weight="bold")
    if any(entry.score.ci95 is None for entry in record.policies.values()):
        left.set_xlabel(f"{left.get_xlabel()} (hollow: all equal)")


def draw_estimate(axes: Axes, place: int, estimate: Estimate, *, emphasis: bool) -> None:
    """A mean with its interval; hollow where it has none because the sample is constant."""
    mean, interval = estimate.mean, estimate.ci95
    if mean is None:
        return
    color = COLORS[1] if emphasis else COLORS[0]
    if interval is not None:
        axes.plot(interval, (place, place), color=color, linewidth=2.5, alpha=0.6)
    face = color if interval is not None else "white"
    axes.plot(mean, place, "o", markersize=7, markeredgecolor=color, markerfacecolor=face)


def draw_reward_curve(rows: Sequence[TrainingRow], record: EvaluationReport, path: Path) -> None:
    """Draw ``reward_curve.png``.

    Args:
        rows: The training log's, in order.
        record: The evaluation's.
        path: Where to.
    """
    stages = [stage for stage in STAGES if any(row.stage == stage for row in rows)]
    heights = (3, 1) if steps_and_values(rows, LOSS)[0] else (3,)
    with style():
        figure = Figure(figsize=(11, 4 + 1.2 * len(heights)), layout="constrained")
        panels = figure.subplots(
            len(heights), max(len(stages), 1), sharex="col", squeeze=False, height_ratios=heights
        )
        grid = panels[0]
        for column, stage in enumerate(stages):
            found_rows = [row for row in rows if row.stage == stage]
            grid[column].sharey(grid[0])
            grid[column].set_title(STAGES[stage])
            draw_stage(grid[column], found_rows, None if several(rows) else record)
            if len(panels) > 1:
                panels[1][column].plot(
                    *steps_and_values(found_rows, LOSS), color=COLORS[-1], linewidth=1
                )
                panels[1][column].set_ylabel("Loss")
        for axes in panels[-1]:
            axes.set_xlabel("Training step")
        grid[0].set_ylabel("Reward")
        grid[0].set_ylim(bottom=min(0.0, grid[0].get_ylim()[0]))
        found: dict[str, Artist] = {}
        for axes in grid:
            lines, labels = axes.get_legend_handles_labels()
            found |= dict(zip(labels, lines, strict=True))
        figure.legend(
            list(found.values()), list(found), loc="outside lower center", ncols=4, frameon=False
        )
        tasks = ", ".join([*record.where(), f"n = {record.episodes}"])
        title = f"{' and '.join(several(rows)) or record.environment}: reward in training"
        figure.suptitle(f"{title} (untrained: {tasks})" if "untrained" in found else title)
        save(figure, path, record.digest())


def several(rows: Sequence[TrainingRow]) -> list[str]:
    """The environments of a training, where it had several: each has a validation score of its own."""
    keys = dict.fromkeys(key for row in rows for key in row.numbers if key != VALIDATION)
    pairs = [(key.removeprefix("validation/"), key) for key in keys]
    return [name.removesuffix("/score") for name, key in pairs if name != key]


def draw_stage(axes: Axes, rows: Sequence[TrainingRow], record: EvaluationReport | None) -> None:
    """One part of the training: the overall reward, its components, validation, the baseline if there is one."""
    names = sorted({n for row in rows for n in row.numbers if n.startswith(COMPONENT)} - {OVERALL})
    axes.plot(
        *steps_and_values(rows, OVERALL), color=COLORS[0], linewidth=2.4, label="overall", zorder=3
    )
    for color, name in zip((*COLORS[1:], *COLORS[1:]), names, strict=False):
        label = name.removeprefix(COMPONENT)
        axes.plot(*steps_and_values(rows, name), "--", color=color, linewidth=1.3, label=label)
    axes.plot(
        *steps_and_values(rows, VALIDATION), "ko-", linewidth=0.8, markersize=5, label="validation"
    )
    baseline = None if record is None else record.policies.get(BASELINE)
    if baseline is not None and (mean := baseline.score.mean) is not None:
        axes.axhline(mean, color="#777777", linestyle=":", linewidth=1.8, label="untrained")


def steps_and_values(rows: Sequence[TrainingRow], name: str) -> tuple[list[int], list[float]]:
    """Steps and values of the rows that have a number of this name."""
    found = [row for row in rows if name in row.numbers]
    return [row.step for row in found], [row.numbers[name] for row in found]
