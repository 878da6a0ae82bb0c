"""The training curve: reward by training step, supervised and reinforced parts side by side.

The two parts have axes of their own for the steps, because hundreds of cheap supervised steps would
crush the reinforced ones, and share the axis of rewards. The untrained baseline is the mean score of
the untrained model on the held-out tasks, as the evaluation's record says it. Below the rewards stand the
losses, where the log has any: each part has a loss of its own kind, so each has its own axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gonogo.plots.style import COLORS, save, style
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.training import TrainingRow
from gonogo.rollouts.summary import BASELINE

STAGES = {"sft": "Supervised (SFT)", "grpo": "Reinforcement (GRPO)"}
REWARD = "reward/"
OVERALL = "reward/overall"
VALIDATION = "validation/score"
LOSS = "loss"


def draw_reward_curve(rows: Sequence[TrainingRow], record: EvaluationReport, path: Path) -> None:
    """Draw ``reward_curve.png``.

    Args:
        rows: The training log's, in order.
        record: The evaluation's.
        path: Where to.
    """
    stages = [stage for stage in STAGES if any(row.stage == stage for row in rows)]
    heights = (3, 1) if series(rows, LOSS)[0] else (3,)
    with style():
        figure = Figure(figsize=(11, 4 + 1.2 * len(heights)), layout="constrained")
        panels = figure.subplots(
            len(heights),
            max(len(stages), 1),
            sharex="col",
            squeeze=False,
            height_ratios=heights,
        )
        grid = panels[0]
        for column, stage in enumerate(stages):
            found_rows = [row for row in rows if row.stage == stage]
            grid[column].sharey(grid[0])
            grid[column].set_title(STAGES[stage])
            draw_stage(grid[column], found_rows, None if several(rows) else record)
            if len(panels) > 1:
                panels[1][column].plot(*series(found_rows, LOSS), color=COLORS[-1], linewidth=1)
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
    names = sorted({n for row in rows for n in row.numbers if n.startswith(REWARD)} - {OVERALL})
    axes.plot(*series(rows, OVERALL), color=COLORS[0], linewidth=2.4, label="overall", zorder=3)
    for color, name in zip((*COLORS[1:], *COLORS[1:]), names, strict=False):
        label = name.removeprefix(REWARD)
        axes.plot(*series(rows, name), "--", color=color, linewidth=1.3, label=label)
    axes.plot(*series(rows, VALIDATION), "ko-", linewidth=0.8, markersize=5, label="validation")
    baseline = None if record is None else record.policies.get(BASELINE)
    if baseline is not None and (mean := baseline.score.mean) is not None:
        axes.axhline(mean, color="#777777", linestyle=":", linewidth=1.8, label="untrained")


def series(rows: Sequence[TrainingRow], name: str) -> tuple[list[int], list[float]]:
    """Steps and values of the rows that have a number of this name."""
    found = [row for row in rows if name in row.numbers]
    return [row.step for row in found], [row.numbers[name] for row in found]
