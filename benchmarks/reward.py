"""Does the audit change what is learned? The tiny model trained with either reward: writes benchmarks/reward.json.

The environment is the zoo's sweeping robot, whose own reward pays the number of clean tiles that the robot
reports, whether they are clean or not. `gonogo reward` writes the other reward. Both trainings have the same
model, traces (of random actions), tasks, seeds and number of steps; only what is paid differs. What is compared
is success by the environment's own word on the same held-out floors, paired: greedily decoded and sampled.

Run from the repository's root: python benchmarks/reward.py [--seeds N] [--steps N] [--out DIR]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
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
CASE = "tests.zoo.cases.self_reported_reward"
HELD_OUT = 100_000
SETTINGS: Json = {
    "model": {"hidden": 64, "intermediate": 128, "layers": 2, "heads": 4, "vocabulary": 320, "context": 1024},
    "rollout": {"slots": 128, "max_turns": 16, "max_reply_tokens": 24},
    "train": {
        "validation": {"tasks": {"options": {}, "start": 50_000}, "episodes": 32},
        "curriculum": {"stages": [{"name": "floors", "options": {}}]},
        # Random actions: how to write them, and something to be selected from.
        "sft": {
            "teacher": "random", "episodes": 120,
            "max_steps": 80, "batch": 8, "validate_every": 80,
        },
        "grpo": {
            "tasks_per_step": 3, "group_size": 12, "learning_rate": 1e-3,
            "learning_rate_end": 3e-4, "credit": "episode", "validate_every": 10, "save_every": 10,
        },
    },
}  # fmt: skip


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
    }
    pipeline.upgrade(config.load(None, given))
    return out / "reward.py"


def compare(out: Path, seed: int, steps: int, reward: Path, episodes: int) -> Json:
    """Train with either reward and fly both models on the same held-out floors."""
    models = {}
    for name, paid_by in (("own", None), ("new", reward)):
        run = settings(out / name, seed, steps, paid_by)
        began = time.monotonic()
        train.run(run)
        print(f"seed {seed}, {name} reward: {time.monotonic() - began:.0f} s", flush=True)
        models[name] = str(run.out / "models" / "trained")
    start = str(out / "own" / "models" / "sft")
    sampled = {name: f"{folder}_sampled" for name, folder in models.items()}
    names = {"random": "random", f"{start}_sampled": "before, sampled"}
    names |= {folder: name for name, folder in models.items()}
    names |= {folder: f"{name}, sampled" for name, folder in sampled.items()}
    fields = {
        "evaluation.start": HELD_OUT,
        "evaluation.episodes": episodes,
        "evaluation.policies": list(names),
        "evaluation.compare": [[models["own"], models["new"]], [sampled["own"], sampled["new"]]],
    }
    run = settings(out / "evaluation", seed, steps, None).model_dump(mode="json")
    evaluate.run(config.load(None, {**run, **fields}))
    record = read_record(out / "evaluation" / "evaluation.json", "evaluation", 1)
    return {
        "seed": seed,
        "success": {names[name]: record["policies"][name]["success"] for name in names},
        "comparisons": [
            {**row, "baseline": names[row["baseline"]], "candidate": names[row["candidate"]]}
            for row in record["comparisons"]
        ],
    }


def main() -> None:
    """Train, compare, write the record."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=3, help="training seeds")
    parser.add_argument("--steps", type=int, default=60, help="steps of GRPO")
    parser.add_argument("--episodes", type=int, default=400, help="held-out floors")
    parser.add_argument("--reward", type=Path, help="a reward instead of the one that is written")
    parser.add_argument("--out", type=Path, help="where the runs stay; a temporary folder")
    chosen = parser.parse_args()
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        out = (chosen.out or Path(folder)).resolve()
        reward = chosen.reward or upgrade(out / "upgrade")
        rows = []
        for seed in range(chosen.seeds):
            rows.append(
                compare(out / str(seed), seed, chosen.steps, reward.resolve(), chosen.episodes)
            )
            print(json.dumps(rows[-1]), flush=True)
        written = reward_hash(reward)
    body = {
        "reward_hash": written,
        "steps": chosen.steps,
        "held_out": chosen.episodes,
        "trained": rows,
        **provenance(),
    }
    write_record(RECORD, "reward_benchmark", 1, body)


if __name__ == "__main__":
    main()
