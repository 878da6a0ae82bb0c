"""Does the audit change what is learned? The tiny model trained with either reward, in a setting (:data:`SETTINGS`).

`trader` (benchmarks/reward.json) is the zoo's tests/zoo/cases/paid_for_idling__trader.py: success is half as much
again after 25 days, and three fifths of its own reward are for never losing what was won, so that money which is never
invested is paid 0.6 and buying at random less. The setting was chosen to show the effect, from the own reward and
reference policies only: the easiest thing to find that the own reward prefers to random actions fails, and random
actions sometimes succeed.

`grid_world` (benchmarks/reward_grid_world.json) is OpenEnv's grid_world_env, which nobody here wrote: its own reward is
paid again after the end, and makes it dearer to walk and fail than to say nothing.

`gonogo reward` writes the other reward. The trainings have the same model, traces (of random actions), tasks, seeds
and number of steps; only what is paid differs, or what a refused reply costs, and each chooses its checkpoint by its
own reward on the same validation tasks. What is compared is success by the environment's own word on the same held-out
tasks, paired: greedily decoded and sampled.

    python benchmarks/reward.py [trader] [--seeds N ...] [--steps N] [--out DIR]
    git clone https://github.com/meta-pytorch/OpenEnv
    python benchmarks/reward.py grid_world --environments OpenEnv/envs

Run from the repository's root.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from command_line import at_least_one
from wild import commit_of

from gonogo import config
from gonogo.config import RunConfig
from gonogo.evaluation import evaluate
from gonogo.pipeline import audit as pipeline
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.files import write_record
from gonogo.records.provenance import provenance, reward_hash
from gonogo.records.training import TrainingReport, TrainingRow
from gonogo.training import phases

Json = dict[str, Any]
HERE = Path(__file__).parent
ROOT = HERE.parent
HELD_OUT = 100_000
TRAINING: Json = {
    "model": {"hidden": 64, "intermediate": 128, "layers": 2, "heads": 4, "vocabulary": 400, "context": 4096},
    # A refused reply costs a turn and no day: there have to be more turns than the 25 days.
    "rollout": {"slots": 64, "max_turns": 32, "max_reply_tokens": 16},
    "train": {
        "validation": {"tasks": {"options": {}, "start": 50_000}, "episodes": 32},
        "curriculum": {"stages": [{"name": "only", "options": {}}]},
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
"""The same in both settings."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What is trained in, and what is said of it.

    Attributes:
        target: The environment: a path to import, or a folder of OpenEnv's checkout.
        reference: Policy that succeeds, for the audit.
        record: Where the outcome is written.
        said: What the environment pays, and why it was chosen.
        tried: What was tried, or was not.
        success: What its source calls success; None where it says so itself.
        dearer: A penalty for refused replies with which the own reward is tried too; None for the usual one alone.
    """

    target: str
    reference: str
    record: Path
    said: str
    tried: str
    success: str | None = None
    dearer: float | None = None

    @property
    def arms(self) -> tuple[str, ...]:
        """The trainings: by the own reward, by it with dearer refusals, by the new reward."""
        return ("own", "new") if self.dearer is None else ("own", "dearer", "new")


TRADER = Setting(
    target="tests.zoo.cases.paid_for_idling__trader:Defect",
    reference="tests.zoo.cases.paid_for_idling__trader:solve",
    record=HERE / "reward.json",
    said=(
        "The zoo's trader: success is half as much again after 25 days, tomorrow's price is shown. Three fifths "
        "of its own reward are for never losing what was won. The setting was chosen to show the effect, before "
        "anything was trained with the new reward: by the own reward, 400 episodes each, holding earns 0.60 and "
        "never succeeds, buying all earns 0.41 and succeeds in 0.25, random actions earn 0.47 and succeed in "
        "0.18, and looking at tomorrow's price earns 1.00 and always succeeds. A tiny model from nothing imitates"
        " random actions, then learns by either reward."
    ),
    tried=(
        "Tried before, and it showed nothing: the zoo's sweeping robot, which is paid for what it reports "
        "(tests/zoo/cases/self_reported_reward.py): with either reward the checkpoint chosen was the one before "
        "GRPO. Also tried, and not compared: the trader with 60 steps of imitation and a limit of 25 turns, where"
        " a third of the replies were refused and no episode came to its end. Not measured: more steps and larger"
        " models. With few seeds this says what can happen and not how often."
    ),
)
GRID_WORLD = Setting(
    target="grid_world_env",
    reference="benchmarks.wild_policies:grid_world",
    record=HERE / "reward_grid_world.json",
    said=(
        "OpenEnv's grid_world_env: from one corner of five by five cells to the other, a tenth off for each step "
        "and a point at the goal. There is one task and no seed, so that the held-out tasks are one, flown again:"
        " greedily it is reached or not, and what sampling reaches is a share. The audit finds that the own reward"
        " is paid again after the end. What no audit of the environment sees is that a reply that is refused is no"
        " step: by the own reward a walk that does not arrive costs 3.2, and to say nothing costs the trainer's "
        "penalty of 0.5. `dearer` is the own reward with a penalty above that cost, 4, which mends it without "
        "another reward. The same tiny model, from random moves."
    ),
    tried=(
        "Since this was seen, `gonogo train` says before it begins that saying nothing is paid more than an "
        "episode that was flown, and which penalty would mend it; with `train.watch.on_alarm: stop` the watch ends"
        " such a training. A checkpoint is chosen by its greedy episodes: where sampled ones succeed at the last "
        "step and the kept step is 0, no checkpoint arrived greedily. Not measured: larger grids and models."
    ),
    success="x == 4 and y == 4",
    dearer=4.0,
)
SETTINGS = {"trader": TRADER, "grid_world": GRID_WORLD}


def settings(
    setting: Setting, out: Path, seed: int, steps: int, arm: str, reward: Path | None
) -> RunConfig:
    """The config of one training."""
    given: Json = {
        "target": setting.target,
        "out": str(out),
        "seed": seed,
        "reward": str(reward) if arm == "new" else None,
        **TRAINING,
    }
    fields: Json = {"train.grpo.steps": steps, "rollout.success": setting.success}
    if arm == "dearer":
        fields["train.grpo.invalid_penalty"] = setting.dearer
    return config.load(None, {**given, **fields})


def upgrade(setting: Setting, out: Path) -> Path:
    """The reward that `gonogo reward` writes for the environment."""
    given = {
        "target": setting.target,
        "out": str(out),
        "rollout.success": setting.success,
        "audit.reference": setting.reference,
        "audit.search": 1000,
        "audit.minutes": 60.0,
        "theme.required": False,
    }
    pipeline.upgrade(config.load(None, given))
    return out / "reward.py"


def named(setting: Setting, out: Path) -> dict[str, str]:
    """What is flown on the held-out tasks, each with the name that it has in the record."""
    models = {str(out / name / "models" / "trained"): name for name in setting.arms}
    sampled = {f"{folder}_sampled": f"{name}, sampled" for folder, name in models.items()}
    start = out / "own" / "models" / "sft"
    return {"random": "random", f"{start}_sampled": "before, sampled", **models, **sampled}


def compare(
    setting: Setting, out: Path, seed: int, steps: int, reward: Path, episodes: int
) -> Json:
    """Train each arm and fly all models on the same held-out tasks."""
    for name in setting.arms:
        began = time.monotonic()
        phases.run(settings(setting, out / name, seed, steps, name, reward))
        print(f"seed {seed}, {name}: {time.monotonic() - began:.0f} s", flush=True)
    flown = {name: policy for policy, name in named(setting, out).items()}
    others = [name for name in setting.arms if name != "new"]
    fields = {
        "evaluation.start": HELD_OUT,
        "evaluation.episodes": episodes,
        "evaluation.policies": list(flown.values()),
        "evaluation.compare": [
            [flown[f"{name}{how}"], flown[f"new{how}"]]
            for how in ("", ", sampled")
            for name in others
        ],
    }
    run = settings(setting, out / "evaluation", seed, steps, "own", None).model_dump(mode="json")
    evaluate.run(config.load(None, {**run, **fields}))
    return told(setting, out, seed)


def told(setting: Setting, out: Path, seed: int) -> Json:
    """What the evaluation of a seed's folder found."""
    record = EvaluationReport.load(out / "evaluation")
    names = named(setting, out)
    return {
        "seed": seed,
        "success": {
            name: record.policies[policy].success.model_dump(mode="json")
            for policy, name in names.items()
        },
        "comparisons": [row.named(names).model_dump(mode="json") for row in record.comparisons],
        "learned": {name: learned(out / name) for name in setting.arms},
    }


def learned(out: Path) -> Json:
    """What a training's last step was paid and did, which checkpoint was kept, and what the watch said."""
    phase = TrainingReport.load(out).phases.grpo
    if phase is None:
        raise RuntimeError(f"{out} has no GRPO")
    last = TrainingRow.log(out)[-1].line
    figures = ("reward/overall", "episode/success_rate", "episode/invalid_rate")
    return {
        "best_step": phase.best_step,
        "last": {name: last[name] for name in ("step", *figures)},
        "alarms": [alarm.model_dump() for alarm in phase.alarms],
    }


def main() -> None:
    """Train, compare, write the record."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("setting", nargs="?", choices=SETTINGS, default="trader")
    parser.add_argument("--environments", type=Path, help="folder envs of a checkout of OpenEnv")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2], help="training seeds")
    parser.add_argument("--steps", type=int, default=30, help="steps of GRPO")
    parser.add_argument("--episodes", type=int, default=200, help="held-out tasks")
    parser.add_argument("--note", default="", help="what the record has to say of this run")
    parser.add_argument("--jobs", type=at_least_one, default=1, help="seeds at once")
    parser.add_argument("--reward", type=Path, help="a reward instead of the one that is written")
    parser.add_argument("--out", type=Path, help="where the runs stay; a temporary folder")
    chosen = parser.parse_args()
    setting = SETTINGS[chosen.setting]
    commit = None
    if ":" not in setting.target:
        if chosen.environments is None:
            parser.error(f"{chosen.setting} needs --environments")
        setting = replace(setting, target=str((chosen.environments / setting.target).resolve()))
        commit = commit_of(chosen.environments)
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        out = (chosen.out or Path(folder)).resolve()
        reward = (chosen.reward or upgrade(setting, out / "upgrade")).resolve()
        rows = []
        with ProcessPoolExecutor(chosen.jobs, get_context("spawn")) as pool:
            each = (chosen.steps, reward, chosen.episodes)
            flights = [
                pool.submit(compare, setting, out / str(seed), seed, *each) for seed in chosen.seeds
            ]
            for flight in flights:
                rows.append(flight.result())
                print(json.dumps(rows[-1]), flush=True)
        told_as = replace(setting, target=SETTINGS[chosen.setting].target)
        body = {
            "setting": setting.said,
            "tried": f"{setting.tried} {chosen.note}".strip(),
            "commit": commit,
            "config": settings(told_as, Path("run"), 0, chosen.steps, "own", None).model_dump(
                mode="json"
            ),
            "reward_hash": reward_hash(reward),
            "steps": chosen.steps,
            "held_out": chosen.episodes,
            "trained": rows,
            **provenance(),
        }
    write_record(setting.record, "reward_benchmark", 1, body)


if __name__ == "__main__":
    main()
