"""The evaluate station: the same held-out tasks for every policy, compared pair by pair.

It leaves ``evaluation.json``, the episodes behind it under ``evaluation/``, and the plots. The record
holds every number that a README or plot may say, with what reproduces it. The verdict is about one
question: does the trained agent beat the untrained one on score, with the whole interval above 0, and not as
an exploit?
"""

from __future__ import annotations

from typing import Any

from rich.console import Console

from gonogo.adapters.card import refresh_cards
from gonogo.config import RunConfig
from gonogo.errors import MissingRecord
from gonogo.records import (
    EVALUATION,
    TRAIN,
    Verdict,
    provenance,
    read_lines,
    reward_hash,
)
from gonogo.rollout.summary import (
    BASELINE,
    CANDIDATE,
    METHOD,
    ONE_SEED,
    default_pairs,
    exclusions,
    judge,
    oddities,
    summarize,
)
from gonogo.stations.evaluate.before_after import choose_task, draw_before_after
from gonogo.stations.evaluate.flights import Flown, fly_all
from gonogo.stations.evaluate.hacking import became_exploit, likenesses
from gonogo.stations.evaluate.reward_curve import draw_reward_curve
from gonogo.stations.evaluate.table import print_evaluation

TRAINING_LOG = "training.jsonl"

MADE = ("evaluation.json", "evaluation", "reward_curve.png", "before_after.png")
"""What an evaluation leaves in its run's folder."""

Json = dict[str, Any]


def run(run: RunConfig, *, over_ray: bool = False) -> Verdict:
    """Fly, compare, write the record and draw the plots.

    Args:
        run: The config; its ``evaluation`` says which tasks, policies and comparisons.
        over_ray: Whether Ray's workers fly instead of this process; the numbers are the same.

    Returns:
        GO when trained beats untrained on score with an interval above 0, NO-GO when it does not or has
        become an exploit, HOLD where there is no such pair or it has no interval.

    Raises:
        Misuse: A policy or the target is not there.
        EnvironmentFailure: The environment could not be opened.
        PolicyFailure: A policy failed.
    """
    flown = fly_all(run, over_ray=over_ray)
    body, verdict, reason = describe(run, flown)
    EVALUATION.write(run.out, body)
    record = EVALUATION.read(run.out)
    refresh_cards(run.out)
    console = Console()
    print_evaluation(record, console)
    draw(run, flown, record)
    console.print(f"{verdict.name}: {reason}", markup=False, highlight=False)
    return verdict


def describe(run: RunConfig, flown: Flown) -> tuple[Json, Verdict, str]:
    """The record's body, the verdict and its reason."""
    plan = run.evaluation
    pairs = plan.compare or default_pairs(plan.policies)
    numbers = summarize(flown.episodes, pairs, run.seed)
    verdict, reason = judge(numbers["comparisons"])
    likeness = likenesses(run, {name: flown.episodes[name] for name in flown.models})
    hacked = {
        row["candidate"]: became_exploit(likeness[row["candidate"]], row)
        for row in numbers["comparisons"]
        if row["baseline"] == BASELINE and row["candidate"] in likeness
    }
    if verdict is Verdict.GO and CANDIDATE in hacked and hacked[CANDIDATE][0] is Verdict.NO_GO:
        verdict, reason = Verdict.NO_GO, f"{reason}; but {hacked[CANDIDATE][1]}"
    for name, model in flown.models.items():
        numbers["policies"][name]["model_hash"] = model
    seeds = [training_seed(run)] if flown.models else []
    body = {
        "target": run.target,
        "environment": flown.environment,
        "source_hash": flown.source,
        "reward_hash": reward_hash(run.reward),
        "split": plan.split,
        "level": plan.level,
        "episodes": plan.episodes,
        "tasks": {"first": plan.tasks()[0], "count": plan.episodes},
        "training_seeds": seeds,
        "seed": run.seed,
        "verdict": verdict.name,
        "reason": reason,
        "method": METHOD,
        "notes": [
            *([ONE_SEED] if seeds else []),
            *exclusions(numbers["policies"]),
            *oddities(numbers["policies"]),
            *(f"{name}: {said}" for name, (_, said) in hacked.items()),
        ],
        "likeness": likeness,
        "shown_task": choose_task(flown.episodes),
        **numbers,
        "config": run.model_dump(mode="json", include={"reward", "rollout", "evaluation"}),
        **provenance(),
    }
    return body, verdict, reason


def training_seed(run: RunConfig) -> int:
    """Seed that the run's models were trained with: their record's, else the config's."""
    try:
        record = TRAIN.read(run.trained_in)
    except MissingRecord:
        return run.seed
    return int(record["config"]["seed"])


def draw(run: RunConfig, flown: Flown, record: Json) -> None:
    """Draw what there is data for: the curve of a training, the flights before and after it."""
    log = run.out / TRAINING_LOG
    if log.is_file() and (rows := list(read_lines(log))):
        draw_reward_curve(rows, record, run.out / "reward_curve.png")
    draw_before_after(flown.episodes, record, run.out / "before_after.png")
