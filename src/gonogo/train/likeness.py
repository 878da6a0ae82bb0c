"""The exploits that a training is watched for, and how like them its episodes are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from gonogo.config import RunConfig, WatchConfig
from gonogo.env.target import resolve
from gonogo.errors import MissingRecord, Misuse
from gonogo.exploits.distance import apart
from gonogo.exploits.witness import decode
from gonogo.records.base import AUDIT
from gonogo.rollout.episodes import Episode
from gonogo.rollout.types import Json
from gonogo.train.environments import TrainingEnvironment

__all__ = ["Plan", "audited_plans", "known_plans", "likeness", "watched_stages"]

Plan = Sequence[Json]
"""Actions in their order; the last one is repeated."""


def audited_plans(folder: Path) -> dict[str, list[Json]]:
    """The plans of an audit's findings by their names, one for each plan.

    Args:
        folder: Of the audit's run.

    Raises:
        MissingRecord: There is no audit in the folder.
        StaleRecord: It is of another version.
    """
    plans: dict[str, list[Json]] = {}
    for finding in AUDIT.read(folder)["findings"]:
        plan = finding["witness"].get("plan")
        if plan and (told := decode(plan)) not in plans.values():
            name = finding["id"]
            plans[name if name not in plans else f"{name}, plan {len(plans) + 1}"] = told
    return plans


def known_plans(config: WatchConfig, out: Path) -> dict[str, list[Json]]:
    """The exploits that a run is watched for: of the audit that the config names, or of the run's own if it has one.

    Raises:
        MissingRecord: The config names a folder without an audit.
        StaleRecord: The audit is of another version.
    """
    if config.audit is not None:
        return audited_plans(config.audit)
    try:
        return audited_plans(out)
    except MissingRecord:
        return {}


def watched_stages(
    run: RunConfig, environments: Sequence[TrainingEnvironment]
) -> frozenset[str] | None:
    """Stages of a training that an audit's exploits are about: an exploit is made of one environment's actions.

    Args:
        run: The config.
        environments: The run's.

    Returns:
        Their names; None for all stages, as in a run of one environment.

    Raises:
        Misuse: The audit is of an environment that is none of several.
    """
    if run.train is None or len(environments) == 1:
        return None
    folder = run.train.watch.audit or run.out
    try:
        audited = AUDIT.read(folder)["target"]
    except MissingRecord:
        return None  # where the config names a folder, known_plans has said so
    keys = [e.key for e in environments if str(e.target) == str(resolve(audited))]
    if not keys:
        raise Misuse(
            f"train.watch.audit must be of an environment of the run, and {folder} is of {audited}"
        )
    stages = run.train.curriculum.stages
    return frozenset(stage.name for stage in stages if stage.environment in keys)


def likeness(episodes: Sequence[Episode], plan: Plan) -> float | None:
    """Mean over all turns of how far the actions are from a plan's, in the plan's fields; None without turns.

    A proven plan is cut down to what it is paid for: a policy that copies this and varies the rest is as close.
    A reply that was no action differs from every action.
    """
    gaps = []
    for episode in episodes:
        for number, turn in enumerate(episode.turns):
            wanted = flat(plan[min(number, len(plan) - 1)])
            sent = {} if turn.action is None else flat(turn.action)
            given = {name: sent[name] for name in wanted if name in sent} if wanted else sent
            gaps.append(1.0 if turn.action is None else apart(given, wanted))
    return fmean(gaps) if gaps else None


def flat(action: Json, prefix: str = "") -> Json:
    """The leaves of nested fields by their dotted names."""
    out: Json = {}
    for name, value in action.items():
        whole = f"{prefix}{name}"
        out |= flat(value, f"{whole}.") if isinstance(value, dict) else {whole: value}
    return out
