"""Does the audit change what is learned? The tiny model trained with either reward: writes benchmarks/reward.json.

The environment is the zoo's trader (tests/zoo/cases/paid_for_idling__trader.py): success is half as much again after 25
days, and three fifths of its own reward are for never losing what was won, so that money which is never invested
is paid 0.6 and buying at random less. `gonogo reward` writes the other reward. The setting was chosen to show the
effect, from the own reward and reference policies only: the easiest thing to find that the own reward prefers to
random actions fails, and random actions sometimes succeed.

Both trainings have the same model, traces (of random actions), tasks, seeds and number of steps; only what is paid
differs, and each chooses its checkpoint by its own reward on the same validation tasks. What is compared is success
by the environment's own word on the same held-out tasks, paired: greedily decoded and sampled.

Run from the repository's root: python benchmarks/reward.py [--seeds N ...] [--steps N] [--out DIR]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from gonogo import config, pipeline
from gonogo.config import RunConfig
from gonogo.records import provenance, read_record, reward_hash, write_record
from gonogo.stations.evaluate import station as evaluate
from gonogo.stations.train import station as train

Json = dict[str, Any]
ROOT = Path(__file__).parents[1]
RECORD = Path(__file__).with_name("reward.json")
CASE = "tests.zoo.cases.paid_for_idling__trader"
HELD_OUT = 100_000
SETTINGS: Json = {
    "model": {"hidden": 64, "intermediate": 128, "layers": 2, "heads": 4, "vocabulary": 400, "context": 4096},
    # A refused reply costs a turn and no day: there have to be more turns than the 25 days.
    "rollout": {"slots": 64, "max_turns": 32, "max_reply_tokens": 16},
    "train": {
        "validation": {"tasks": {"options": {}, "start": 50_000}, "episodes": 32},
        "curriculum": {"stages": [{"name": "days", "options": {}}]},
        # Random actions: how to write them, and something to be selected from.
        "sft": {
            "teacher": "random", "episodes": 160,
            "max_steps": 200, "batch": 8, "learning_rate": 5e-3, "validate_every": 200,
        },
        "grpo": {
            "tasks_per_step": 4, "group_size": 10, "learning_rate": 1e-3,
            "learning_rate_end": 5e-4, "credit": "episode", "validate_every": 5, "save_every": 5,
        },
    },
}  # fmt: skip


SETTING = (
    "The zoo's trader: success is half as much again after 25 days, tomorrow's price is shown. Three fifths of its own "
    "reward are for never losing what was won. The setting was chosen to show the effect, before anything was trained "
    "with the new reward: by the own reward, 400 episodes each, holding earns 0.60 and never succeeds, buying all "
    "earns 0.41 and succeeds in 0.25, random actions earn 0.47 and succeed in 0.18, and looking at tomorrow's price "
    "earns 1.00 and always succeeds. A tiny model from nothing imitates random actions, then learns by either reward."
)
TRIED = (
    "Tried before, and it showed nothing: the zoo's sweeping robot, which is paid for what it reports "
    "(tests/zoo/cases/self_reported_reward.py): with either reward the checkpoint chosen was the one before GRPO. "
    "Also tried, and not compared: the trader with 60 steps of imitation and a limit of 25 turns, where a third of the "
    "replies were refused and no episode came to its end. Not measured: more steps and larger models. "
    "With few seeds this says what can happen and not how often."
)


def settings(out: Path, seed: int, steps: int, reward: Path | None) -> RunConfig:
    """The config of one training."""
    given = {
        "target": f"{CASE}:Defect",
        "out": str(out),
        "seed": seed,
        "reward": None if reward is None else str(reward),
        **SETTINGS,
    }
    return config.load(None, {**given, "train.grpo.steps": steps})


def upgrade(out: Path) -> Path:
    """The reward that `gonogo reward` writes for the environment."""
    given = {
        "target": f"{CASE}:Defect",
        "out": str(out),
        "audit.reference": f"{CASE}:solve",
        "audit.budget": 1000,
        "theme.required": False,
    }
    pipeline.upgrade(config.load(None, given))
    return out / "reward.py"


def named(out: Path) -> dict[str, str]:
    """What is flown on the held-out tasks, each with the name that it has in the record."""
    models = {str(out / name / "models" / "trained"): name for name in ("own", "new")}
    sampled = {f"{folder}_sampled": f"{name}, sampled" for folder, name in models.items()}
    start = out / "own" / "models" / "sft"
    return {"random": "random", f"{start}_sampled": "before, sampled", **models, **sampled}


def compare(out: Path, seed: int, steps: int, reward: Path, episodes: int) -> Json:
    """Train with either reward and fly both models on the same held-out tasks."""
    for name, paid_by in (("own", None), ("new", reward)):
        began = time.monotonic()
        train.run(settings(out / name, seed, steps, paid_by))
        print(f"seed {seed}, {name} reward: {time.monotonic() - began:.0f} s", flush=True)
    flown = {name: policy for policy, name in named(out).items()}
    fields = {
        "evaluation.start": HELD_OUT,
        "evaluation.episodes": episodes,
        "evaluation.policies": list(flown.values()),
        "evaluation.compare": [
            [flown["own"], flown["new"]],
            [flown["own, sampled"], flown["new, sampled"]],
        ],
    }
    run = settings(out / "evaluation", seed, steps, None).model_dump(mode="json")
    evaluate.run(config.load(None, {**run, **fields}))
    return told(out, seed)


def told(out: Path, seed: int) -> Json:
    """What the evaluation of a seed's folder found."""
    record = read_record(out / "evaluation" / "evaluation.json", "evaluation", 1)
    names = named(out)
    return {
        "seed": seed,
        "success": {name: record["policies"][policy]["success"] for policy, name in names.items()},
        "comparisons": [
            {**row, "baseline": names[row["baseline"]], "candidate": names[row["candidate"]]}
            for row in record["comparisons"]
        ],
    }


def write(rows: list[Json], reward: Path, steps: int, episodes: int, note: str) -> None:
    """The record, with what has to be said of this run."""
    body = {
        "setting": SETTING,
        "tried": f"{TRIED} {note}".strip(),
        "config": settings(Path("run"), 0, steps, None).model_dump(mode="json"),
        "reward_hash": reward_hash(reward),
        "steps": steps,
        "held_out": episodes,
        "trained": rows,
        **provenance(),
    }
    write_record(RECORD, "reward_benchmark", 1, body)


def main() -> None:
    """Train, compare, write the record."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2], help="training seeds")
    parser.add_argument("--steps", type=int, default=30, help="steps of GRPO")
    parser.add_argument("--episodes", type=int, default=200, help="held-out tasks")
    parser.add_argument("--note", default="", help="what the record has to say of this run")
    parser.add_argument("--jobs", type=int, default=1, help="seeds at once")
    parser.add_argument("--reward", type=Path, help="a reward instead of the one that is written")
    parser.add_argument("--out", type=Path, help="where the runs stay; a temporary folder")
    chosen = parser.parse_args()
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        out = (chosen.out or Path(folder)).resolve()
        reward = chosen.reward or upgrade(out / "upgrade")
        rows = []
        with ProcessPoolExecutor(chosen.jobs, get_context("spawn")) as pool:
            flights = [
                pool.submit(
                    compare, out / str(seed), seed, chosen.steps, reward.resolve(), chosen.episodes
                )
                for seed in chosen.seeds
            ]
            for flight in flights:
                rows.append(flight.result())
                print(json.dumps(rows[-1]), flush=True)
        write(rows, reward, chosen.steps, chosen.episodes, chosen.note)


if __name__ == "__main__":
    main()
