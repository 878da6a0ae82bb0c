"""docs/results.md and a plot for each of its records, docs/results/*.json, made from these and from nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gonogo.plots.style import COLORS, save, style
from gonogo.records.files import digest, read_record, write_text
from gonogo.records.record import Estimate
from gonogo.records.tables import estimate, percent

__all__ = ["page", "stored", "write_page"]

Json = dict[str, Any]
INTRODUCTION = """\
# What training comes to

Trainings of flightrules on several seeds, each from its config alone. Written by \
[benchmarks/results.py](../benchmarks/results.py) from the records in [results](results), which hold every figure. \
All policies flew the same held-out missions; a row of differences is paired by mission, and holds where the interval \
is above 0 on every training seed. Success: Wilson's 95 % interval; differences: percentile bootstrap, 95 %.
"""
TITLES = {
    "attitude": "A small model, made from scratch, on the two short levels",
    "tiny": "A small model, made from scratch, through four levels",
    "smollm2": "SmolLM2-135M-Instruct with LoRA: imitation, and three steps of GRPO that are no more than a start",
}
STAGES = ("sft", "grpo")


def page(records: list[Json]) -> str:
    """The page."""
    lines = [INTRODUCTION]
    for record in records:
        lines += section(record)
    return "\n".join(lines)


def section(record: Json) -> Iterator[str]:
    """One experiment."""
    name, rows = record["name"], record["trained"]
    yield f"## {TITLES[name]}"
    yield ""
    seeds = ", ".join(str(row["seed"]) for row in rows)
    yield (
        f"Training seeds: {seeds}; judged on missions from number {record['first_mission']} on, for those before it "
        f"were flown while the recipe was made; `python benchmarks/results.py {name}`."
    )
    yield ""
    yield f"![{name}](results/{name}.png)"
    yield ""
    yield "*Score on the validation missions by step, a line for each seed; success on held-out missions by level.*"
    yield ""
    yield from overview(record)
    for number, place in enumerate(rows[0]["judged"]):
        yield f"### {place['level']}, {place['split']}: {place['missions']} missions"
        yield ""
        yield from standing(rows, number)
        yield from differences(record, place)
    yield from audits(rows)


def overview(record: Json) -> Iterator[str]:
    """All places in one table: success of everybody, and over whom the trained models are above on every seed."""
    rows = record["trained"]
    policies, models = rows[0]["judged"][0]["policies"], models_of(rows)
    yield "Success, models by seed. The last column: whom each seed's trained model beats in score, interval above 0."
    yield ""
    yield f"| missions | {' | '.join(policies)} | better on every seed than |"
    yield f"| {' | '.join('---' for _ in range(len(policies) + 2))} |"
    for number, place in enumerate(rows[0]["judged"]):
        cells = [
            " / ".join(
                f"{row['judged'][number]['policies'][name]['success']['mean']:.2f}"
                for row in (rows if name in models else rows[:1])
            )
            for name in policies
        ]
        beaten = [
            found["baseline"]
            for found in record["over_seeds"]
            if (found["split"], found["level"]) == (place["split"], place["level"])
            and found["score_difference"]["above_0_on_every_seed"]
        ]
        yield f"| {place['level']}, {place['split']} | {' | '.join(cells)} | {', '.join(beaten) or 'nobody'} |"
    yield ""


def standing(rows: list[Json], number: int) -> Iterator[str]:
    """Score and success of all policies: those that were not trained once, models by seed."""
    policies = rows[0]["judged"][number]["policies"]
    models = models_of(rows)
    yield "| policy | success | score | invalid replies | decisions |"
    yield "| --- | --- | --- | --- | --- |"
    for name in policies:
        for row in rows if name in models else rows[:1]:
            found = row["judged"][number]["policies"][name]
            said = f"{name}, seed {row['seed']}" if name in models else name
            means = (Estimate.model_validate(found[what]) for what in ("success", "score"))
            figures = " | ".join(map(estimate, means))
            yield f"| {said} | {figures} | {percent(found['invalid_rate'])} | {found['mean_turns']:.1f} |"
    yield ""


def differences(record: Json, place: Json) -> Iterator[str]:
    """The comparisons of a place over the seeds."""
    yield "| compared | score, by seed | success, by seed | above 0 on every seed |"
    yield "| --- | --- | --- | --- |"
    for found in record["over_seeds"]:
        if (found["split"], found["level"]) != (place["split"], place["level"]):
            continue
        kinds = [found["score_difference"], found["success_difference"]]
        each = [", ".join(signed(*seed) for seed in kind["seeds"]) for kind in kinds]
        holds = [
            name
            for name, kind in zip(("score", "success"), kinds, strict=True)
            if kind["above_0_on_every_seed"]
        ]
        compared = f"{found['candidate']} − {found['baseline']}"
        yield f"| {compared} | {each[0]} | {each[1]} | {' and '.join(holds) or 'no'} |"
    yield ""


def audits(rows: list[Json]) -> Iterator[str]:
    """What the audit says of the trained models."""
    yield "### Is a trained policy one of the exploits?"
    yield ""
    yield (
        "`gonogo audit --policy` on each level: the nearest policy that does not try, or proven exploit, with its "
        "distance (0 is the same, 1 has nothing in common), and what is earned above the random policy."
    )
    yield ""
    yield "| level | seed | verdict | nearest | distance | return above random | success above random |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for row in rows:
        for found in row["audited"]:
            near = min(found["likeness"], key=lambda one: one["distance"])
            above = [found["above_random"][name] for name in ("return", "success")]
            figures = " | ".join(
                "–" if one is None else signed(one["mean"], one["ci95"]) for one in above
            )
            verdict = ", ".join([found["verdict"], *found["findings"]])
            yield (
                f"| {found['level']} | {row['seed']} | {verdict} | {near['exploit']} | {near['distance']:.2f} "
                f"| {figures} |"
            )
    yield ""


def signed(mean: float, interval: list[float] | None) -> str:
    """A difference with its interval."""
    if interval is None:
        return f"{mean:+.3f}"
    return f"{mean:+.3f} [{interval[0]:+.3f}, {interval[1]:+.3f}]"


def models_of(rows: list[Json]) -> set[str]:
    """Names of the policies that are models: those whose figures may differ by seed."""
    return {
        name
        for place in rows[0]["judged"]
        for name in place["policies"]
        if name in {"untrained", "sft", "trained"}
    }


def draw(record: Json, path: Path) -> None:
    """The learning curves of all seeds, and success on the first split by level."""
    rows = record["trained"]
    first = rows[0]["judged"][0]["split"]
    places = [number for number, one in enumerate(rows[0]["judged"]) if one["split"] == first]
    with style():
        figure = Figure(figsize=(13.5, 4.6), layout="constrained")
        sft, grpo, bars = figure.subplots(1, 3, width_ratios=(1, 1, 1.6))
        grpo.sharey(sft)
        for axes, stage, title in zip(
            (sft, grpo), STAGES, ("Supervised", "Reinforcement"), strict=True
        ):
            axes.set_title(title)
            axes.set_xlabel("Training step")
            for row, color in zip(rows, COLORS, strict=False):
                points = [(step, score) for at, step, score in row["curve"] if at == stage]
                if points:
                    axes.plot(
                        *zip(*points, strict=True), "o-", color=color, label=f"seed {row['seed']}"
                    )
        sft.set_ylabel("Mean score, validation")
        sft.legend()
        draw_success(bars, rows, places)
        bars.set_title(f"Success, {first}")
        save(figure, path, digest(record))


def draw_success(axes: Axes, rows: list[Json], places: list[int]) -> None:
    """A point with its interval for each policy and level; models have one for each seed."""
    policies = [
        name
        for name in rows[0]["judged"][places[0]]["policies"]
        if name not in {"idle", "random", "oracle"}
    ]
    models, width = models_of(rows), 0.8 / len(policies)
    for order, name in enumerate(policies):
        color = COLORS[order % len(COLORS)]
        for which, row in enumerate(rows if name in models else rows[:1]):
            shift = (which - (len(rows) - 1) / 2) * 0.2 * width if name in models else 0.0
            for x, number in enumerate(places):
                found = row["judged"][number]["policies"][name]["success"]
                low, high = found["ci95"] or (found["mean"], found["mean"])
                label = name if which == 0 and x == 0 else None
                axes.errorbar(
                    x + (order - (len(policies) - 1) / 2) * width + shift,
                    found["mean"],
                    [[found["mean"] - low], [high - found["mean"]]],
                    fmt="o",
                    markersize=4,
                    color=color,
                    label=label,
                )
    axes.set_xticks(range(len(places)), [rows[0]["judged"][number]["level"] for number in places])
    axes.set_ylabel("Success rate")
    axes.set_ylim(-0.03, 1.03)
    axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))


def write_page(docs: Path) -> None:
    """Write the page and the plots from the records under ``docs/results``."""
    records = stored(docs)
    for record in records:
        draw(record, docs / "results" / f"{record['name']}.png")
    write_text(docs / "results.md", page(records))


def stored(docs: Path) -> list[Json]:
    """The records under ``docs/results``, by name."""
    return [read_record(path, "results", 1) for path in sorted((docs / "results").glob("*.json"))]
