"""docs/reward.md, made from docs/reward/record.json and the records of benchmarks/reward.py, and from nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gonogo.records.files import read_record, write_text
from gonogo.records.record import Estimate
from gonogo.records.tables import estimate, percent

__all__ = ["page", "trainings", "write_page"]

Json = dict[str, Any]
INTRODUCTION = """\
# Rewards that pay for nothing no more

`gonogo reward` writes a reward for an environment from its audit, and audits both sides. Here it is shown on an \
environment that nobody here wrote; below, what either reward teaches a tiny model, where that was measured. Written \
by [benchmarks/foreign_reward.py](../benchmarks/foreign_reward.py) from [reward/record.json](reward/record.json) and \
the records of [benchmarks/reward.py](../benchmarks/reward.py).
"""
SUCCESS = """\
## What success is, and when it is paid

The reward pays success and never what the environment's own reward says. Success is the field in which the \
environment says it, or the expression given with `--success`: the same expression, read by the same rule \
(`src/gonogo/env/success.py`), on the same names, is written into `reward.py`. simpleeval then has to be \
installed where the environment runs.

Where the environment itself ends every success that was flown, the value is paid once, at that end. Where it does \
not, because it never says done or leaves success to the limit of turns, a reward cannot see when the episode is \
over: then each step is paid by how much it changed the value, so that at any limit the sum is the value of where \
the episode was left. A success that is left again is taken back, and a cycle sums to nothing. Efficiency and \
process then count the turns until the success that stands.
"""
MENDED = """\
What mends this finding is that a reward that is given to gonogo is applied where the environment runs and pays \
nothing after the end of an episode; no guard of `reward.py` does it. The environment still answers such a step as \
it did, and still shows the right answer with the end; what is mended is what is paid for it, by whoever applies the \
reward so. On its default task, without a `dataset_name`, the environment also ignores the seed and lets one episode \
show in the next ([wild.md](wild.md)): no reward mends those, they stay NO-GO, and the task above is one that has \
neither. Paid for nothing rises a little, because the new reward pays a failure up to 0.05 for form.
"""


def page(foreign: Json, trainings: Sequence[Json]) -> str:
    """The page.

    Args:
        foreign: The record of the upgrade.
        trainings: The records of the trainings, one a setting.
    """
    lines = [*head(foreign), *both_sides(foreign), MENDED, SUCCESS]
    if trainings:
        lines += ["## What is learned", ""]
    return "\n".join([*lines, *(line for record in trainings for line in trained(record))])


def head(record: Json) -> Iterator[str]:
    """What was found."""
    took = " and ".join(f"{ran['seconds']:.0f} s" for ran in record["commands"].values())
    packages = ", ".join(f"{name} {version}" for name, version in record["packages_there"].items())
    yield INTRODUCTION
    yield f"## OpenEnv's {record['environment']}"
    yield ""
    yield (
        f"Commit {record['commit']} of https://github.com/meta-pytorch/OpenEnv, with {packages}. "
        f"`gonogo audit|reward TARGET {' '.join(map(quoted, record['words']))}`, "
        f"{took} on a shared machine."
    )
    yield ""
    yield f"The map: {record['map']}. The audit: {record['upgrade']['before']['reason']}."
    yield ""
    for finding in record["findings"]:
        witness = json.dumps(finding["witness"], ensure_ascii=False)
        yield f"- {finding['id']}: {finding['explanation']}. Witness: `{witness}`."
    yield ""


def quoted(word: str) -> str:
    """A word as a shell takes it."""
    return f'"{word}"' if " " in word else word


def both_sides(record: Json) -> Iterator[str]:
    """The table."""
    upgrade = record["upgrade"]
    yield f"After the upgrade: **{upgrade['verdict']}**, {upgrade['reason']}."
    yield ""
    yield "| | own reward | new reward |"
    yield "|---|---|---|"
    for row in upgrade["sides"]:
        yield f"| {row['number']} | {number(row['before'])} | {number(row['after'])} |"
    for name in ("worst_success", "best_failure"):
        before, after = upgrade["flown"][name]
        yield f"| {name.replace('_', ' ')} flown | {number(before)} | {number(after)} |"
    for name in ("findings", "verdict"):
        shown = (upgrade[side][name] for side in ("before", "after"))
        told = (", ".join(v) or "none" if isinstance(v, list) else v for v in shown)
        yield f"| {name} | {' | '.join(told)} |"
    yield ""
    yield "| component | weight | exploits in its tests | guards that they run into |"
    yield "|---|---|---|---|"
    for part in record["components"]:
        guards = ", ".join(part["guards"])
        yield f"| {part['name']} | {part['weight']:g} | {part['cases']} | {guards} |"
    yield ""


def number(value: float | None) -> str:
    """A number of the table."""
    return "unknown" if value is None else f"{value:.3f}"


def trained(record: Json) -> Iterator[str]:
    """What the two rewards teach in a setting."""
    rows = record["trained"]
    yield record["setting"]
    yield ""
    yield (
        f"Training seeds: {len(rows)}; {record['steps']} steps of GRPO each, {record['held_out']} held-out tasks; "
        "success by the environment's own word, with 95 % intervals over the tasks of one training."
    )
    yield ""
    names = list(rows[0]["success"])
    yield f"| training seed | {' | '.join(names)} |"
    yield f"|{'---|' * (len(names) + 1)}"
    for row in rows:
        cells = (estimate(Estimate.model_validate(row["success"][name])) for name in names)
        yield f"| {row['seed']} | {' | '.join(cells)} |"
    yield ""
    yield "| training seed | compared | difference of success | McNemar p |"
    yield "|---|---|---|---|"
    for row in rows:
        for pair in row["comparisons"]:
            yield (
                f"| {row['seed']} | {pair['candidate']} less {pair['baseline']} "
                f"| {estimate(Estimate.model_validate(pair['success_difference']))} | {pair['mcnemar_p']:.2g} |"
            )
    yield ""
    yield from learned(rows)
    yield record["tried"]
    yield ""


def learned(rows: list[Json]) -> Iterator[str]:
    """How the trainings ended, where their record says it: the older of the two does not."""
    if "learned" not in rows[0]:
        return
    yield "| training seed | reward | return, last step | success | refused replies | kept step | the watch |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        for name, found in row["learned"].items():
            last = found["last"]
            alarms = [f"step {alarm['step']}: {alarm['reason']}" for alarm in found["alarms"]]
            yield (
                f"| {row['seed']} | {name} | {last['reward/overall']:.3f} "
                f"| {percent(last['episode/success_rate'])} | {percent(last['episode/invalid_rate'])} "
                f"| {found['best_step']} | {'; '.join(alarms) or 'silent'} |"
            )
    yield ""


def write_page(folder: Path, benchmarks: Path) -> str:
    """Write the page from the records; what is said of it.

    Args:
        folder: Holds ``reward/record.json``; gets ``reward.md``.
        benchmarks: Holds the records of the trainings, where there are any.
    """
    foreign = read_record(folder / "reward" / "record.json", "foreign_reward", 1)
    write_text(folder / "reward.md", page(foreign, trainings(benchmarks)))
    return f"{folder / 'reward.md'} written"


def trainings(benchmarks: Path) -> list[Json]:
    """The records of the trainings."""
    files = sorted(benchmarks.glob("reward*.json"))
    return [read_record(file, "reward_benchmark", 1) for file in files]
