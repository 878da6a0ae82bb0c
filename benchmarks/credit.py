"""Who is to be paid for an episode? GRPO with each kind of credit at equal budget: writes benchmarks/credit.json.

The demo's model, environment and level (configs/demo.yaml, `detumble` alone), shrunk by options. For each training seed
there is one imitation of the teacher; each arm begins with its weights and differs in `credit` only: the same tasks,
the same number of episodes and updates. Each chooses its checkpoint by score on the same validation missions. All are
flown on the same held-out missions of the validation split, far from those that chose the checkpoint, and compared
in pairs: the test split is not looked at to choose a default.

Finished arms are kept in the folder; a second call of the same sizes goes on where the first stopped, also within an
arm. The record is written seed by seed, and a seed that it holds is not run again, on no machine, unless the question
has changed.

Run from the repository's root: python benchmarks/credit.py [--out DIR] [--seeds N ...] [--steps N] [--credits NAME ...]
"""

from __future__ import annotations

import argparse
import json
import os
import time
from contextlib import closing
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

from by_seed import known

from gonogo import config
from gonogo.config import RunConfig
from gonogo.errors import MissingRecord, Misuse
from gonogo.evaluation import evaluate
from gonogo.models import saved as models
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.files import append_line, differences, read_record, write_record
from gonogo.records.provenance import provenance, source_hash
from gonogo.records.training import TrainingReport, TrainingRow
from gonogo.training import phases
from gonogo.training.environments import Environments, environments_of
from gonogo.training.tracking import TrainingObserver
from gonogo.training.trainer import Trainee

Json = dict[str, Any]
ROOT = Path(__file__).parents[1]
RECORD = Path(__file__).with_name("credit.json")
DEMO = ROOT / "configs" / "demo.yaml"
HELD_OUT = 10_000
MOST_NAMED = 8
CREDITS = ("episode", "turn", "gigpo")


def settings(chosen: argparse.Namespace, out: Path, seed: int, credit: str) -> RunConfig:
    """The config of one arm."""
    detumble = {"name": "detumble", "options": {"split": "train", "level": "detumble"}}
    given = {
        "out": str(out),
        "seed": seed,
        "train.curriculum.stages": [detumble],
        "train.validation.episodes": chosen.validation,
        "train.sft.episodes": chosen.traces,
        "train.sft.max_steps": chosen.sft_steps,
        "train.grpo.steps": chosen.steps,
        "train.grpo.tasks_per_step": chosen.tasks,
        "train.grpo.group_size": chosen.group,
        "train.grpo.credit": credit,
        "train.grpo.print_every": 1000,
        "train.watch.on_alarm": "off",
        "evaluation.split": "validation",
        "evaluation.start": HELD_OUT,
        "evaluation.episodes": chosen.episodes,
        "log": "none",
    }
    return config.load(DEMO, given)


def imitate(chosen: argparse.Namespace, out: Path, seed: int) -> Path:
    """The weights that all arms of a seed begin with."""
    run = settings(chosen, out, seed, "turn")
    if not TrainingReport.path(out).is_file():
        fields = run.model_dump(mode="json")
        fields["train"] = {**fields["train"], "grpo": None}
        phases.run(RunConfig.model_validate_json(json.dumps(fields)))
    return models.model_folder(out, "sft")


def reinforce(chosen: argparse.Namespace, out: Path, seed: int, credit: str, start: Path) -> Json:
    """Train one arm from the given weights, unless it is done.

    Returns:
        What its record holds.
    """
    asked = {"seed": seed, "credit": credit, "steps": chosen.steps}
    try:
        return read_record(out / "arm.json", "credit_arm", 1)
    except MissingRecord:
        pass
    run = settings(chosen, out, seed, credit)
    if run.train is None:
        raise MissingRecord(f"{DEMO} does not train")
    began = time.monotonic()

    def write(row: TrainingRow) -> None:
        append_line(TrainingRow.path(out), row.line)
        if "validation/score" in row.numbers:
            print(out, row.step, row.numbers["validation/score"], flush=True)

    observer = TrainingObserver(write, lambda *_: None, lambda: False, lambda *_: None)
    with closing(Environments(environments_of(run))) as environments:
        speaker = models.load(start)
        trainee = Trainee(run, run.train, environments, speaker, out, observer)
        course = trainee.grpo()
    rows = {row.step: row.numbers for row in TrainingRow.log(out)}  # the last of each
    found = {
        **asked,
        "best_step": course.best_step,
        "validation": course.best,
        "seconds": round(time.monotonic() - began, 1),
        "curve": [
            [step, row.get("reward/overall"), row.get("episode/success_rate")]
            for step, row in sorted(rows.items())
        ],
    }
    write_record(out / "arm.json", "credit_arm", 1, found)
    return found


def compare(chosen: argparse.Namespace, out: Path, seed: int) -> Json:
    """All arms of a seed, flown on the same held-out missions."""
    start = imitate(chosen, out / "sft", seed)
    arms = [reinforce(chosen, out / c, seed, c, start) for c in chosen.credits]
    folders = {str(start): "sft"}
    folders |= {str(models.model_folder(out / c, "trained")): c for c in chosen.credits}
    names = folders | {f"{path}_sampled": f"{name}, sampled" for path, name in folders.items()}
    paths = {name: path for path, name in names.items()}
    pairs = [*combinations(["sft", *chosen.credits], 2)]
    pairs += [(f"{a}, sampled", f"{b}, sampled") for a, b in pairs]
    folder = out / "evaluation"
    run = settings(chosen, folder, seed, "turn").model_dump(mode="json")
    plan = {"policies": list(names), "compare": [[paths[a], paths[b]] for a, b in pairs]}
    evaluation = {**run["evaluation"], **plan}
    if not EvaluationReport.path(folder).is_file():
        asked = {**run, "evaluation": evaluation}
        evaluate.run(RunConfig.model_validate_json(json.dumps(asked)))
    record = EvaluationReport.load(folder)
    return {
        "seed": seed,
        "arms": arms,
        "policies": {
            name: record.policies[path].model_dump(mode="json", include={"success", "score"})
            for path, name in names.items()
        },
        "comparisons": [row.named(names).model_dump(mode="json") for row in record.comparisons],
        **provenance(),
    }


def asked(chosen: argparse.Namespace) -> Json:
    """What a row of the record depends on beside its seed, as JSON has it."""
    run = settings(chosen, Path("run"), 0, "turn")
    return {
        "credits": chosen.credits,
        "config": run.model_dump(mode="json"),
        "source_hash": source_hash(ROOT / run.target),
    }


def claim(out: Path, question: Json) -> None:
    """Say what the runs of a folder answer, before anything fills it.

    Raises:
        Misuse: They answer another question.
    """
    path = out / "question.json"
    if not path.is_file():
        write_record(path, "credit_question", 1, question)
    found = read_record(path, "credit_question", 1)
    before = {name: found.get(name) for name in question}
    if other := differences(before, question):
        more = f"; and {len(other) - MOST_NAMED} more" if len(other) > MOST_NAMED else ""
        raise Misuse(
            f"{out} holds runs of another question: {'; '.join(other[:MOST_NAMED])}{more}. "
            "Choose another folder with --out"
        )


def over_seeds(rows: list[Json]) -> list[Json]:
    """Each comparison over the training seeds: the mean difference, and each seed's with its interval."""
    out = []
    for number, first in enumerate(rows[0]["comparisons"]):
        seeds = [row["comparisons"][number] for row in rows]
        found: Json = {"baseline": first["baseline"], "candidate": first["candidate"]}
        for kind in ("success_difference", "score_difference"):
            found[kind] = {
                "mean": fmean(each[kind]["mean"] for each in seeds),
                "seeds": [[each[kind]["mean"], each[kind]["ci95"]] for each in seeds],
            }
        out.append(found)
    return out


def main() -> None:
    """Train, compare, write the record."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2], help="training seeds")
    parser.add_argument("--credits", nargs="+", choices=CREDITS, default=list(CREDITS))
    parser.add_argument("--steps", type=int, default=40, help="steps of GRPO")
    parser.add_argument("--tasks", type=int, default=6, help="missions of a step")
    parser.add_argument("--group", type=int, default=16, help="episodes of a mission")
    parser.add_argument("--traces", type=int, default=900, help="the teacher's episodes")
    parser.add_argument("--sft-steps", type=int, default=1800, help="steps of imitation")
    parser.add_argument("--validation", type=int, default=96, help="missions that choose")
    parser.add_argument("--episodes", type=int, default=300, help="held-out missions")
    parser.add_argument("--record", type=Path, default=RECORD, help="where the record goes")
    parser.add_argument("--out", type=Path, default=Path("runs/credit"), help="where the runs stay")
    chosen = parser.parse_args()
    os.chdir(ROOT)
    out, record = chosen.out.resolve(), chosen.record.resolve()
    question = asked(chosen)
    rows = known(record, "credit_benchmark", question)
    for seed in chosen.seeds:
        if seed in rows:
            continue
        claim(out, question)
        rows[seed] = compare(chosen, out / str(seed), seed)
        print(json.dumps(rows[seed]["policies"]), flush=True)
        ordered = [rows[each] for each in sorted(rows)]
        body = {**question, "over_seeds": over_seeds(ordered), "trained": ordered, **provenance()}
        write_record(record, "credit_benchmark", 1, body)


if __name__ == "__main__":
    main()
