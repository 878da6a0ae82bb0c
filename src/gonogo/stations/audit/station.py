"""The audit station: the cheapest way to be paid for nothing, with witnesses that anyone can replay.

It leaves ``audit.json`` and, where something was found, ``witnesses.jsonl``: episodes that ``gonogo replay``
flies again. Every policy flies the same tasks and seeds; what looks paid for nothing is flown again by
everybody on fresh seeds in a fresh process, and replayed there. The environment's own word for success is
used, never the reward's. A proven finding is NO-GO; without a succeeding policy or a word for success the
audit is uncalibrated and holds; GO says that nothing was found within this budget, not that all is safe.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

import numpy as np
from rich.console import Console

from gonogo.adapters.targets import FolderTarget, Target, resolve
from gonogo.config import RunConfig
from gonogo.errors import MissingRecord
from gonogo.exploits.witness import encode
from gonogo.records import (
    Verdict,
    provenance,
    read_record,
    reward_hash,
    source_hash,
    write_record,
    write_text,
)
from gonogo.rollout.protocols import Json
from gonogo.stations.audit.airfield import Airfield, Guides
from gonogo.stations.audit.confirm import Confirmed, confirm
from gonogo.stations.audit.judge import suspicions
from gonogo.stations.audit.numbers import headline, row_json
from gonogo.stations.audit.scale import Scale
from gonogo.stations.audit.seek import seek
from gonogo.stations.audit.survey import Survey, fly_found, survey
from gonogo.stations.audit.table import print_audit

__all__ = ["run"]

KIND, VERSION = "audit", 1
RECORD, WITNESSES = "audit.json", "witnesses.jsonl"
MAP, MAP_VERSION = "map.json", 1


def run(run: RunConfig) -> Verdict:
    """Audit the target, write the record and the witnesses, print the tables.

    Args:
        run: The config; its ``audit`` says how much is flown.

    Returns:
        NO_GO where a finding is proven, HOLD where the audit is uncalibrated, else GO.

    Raises:
        TargetError: There is no environment at the target.
        EnvironmentFailure: It could not be started.
        PolicyFailure: A policy that is meant to succeed failed.
        StaleRecord: The run's map is of another version of the environment.
    """
    target = resolve(run.target)
    body, proofs = describe(run, target)
    write_record(run.out / RECORD, KIND, VERSION, body)
    lines = [proof.episode.to_json() for proof in proofs]
    write_text(run.out / WITNESSES, "".join(f"{line}\n" for line in lines))
    print_audit(body, Console())
    return Verdict[body["verdict"]]


def describe(run: RunConfig, target: Target) -> tuple[Json, list[Confirmed]]:
    """The record's body and the proofs behind its findings."""
    source = source_hash(target.folder) if isinstance(target, FolderTarget) else None
    tasks, notes = find_tasks(run, source)
    generator = np.random.default_rng(run.seed)
    drawn = generator.choice(2**31, size=2 * run.audit.seeds, replace=False)
    seeds = [int(seed) for seed in drawn]
    proofs: list[Confirmed] = []
    sheets, missing, steps, episodes = [], set[str](), 0, 0
    with closing(Guides(target, run)) as guides:
        for task in tasks:
            audited = Audited(target, run, guides, task, seeds)
            proofs += audited.proofs
            notes += audited.notes
            steps, episodes = steps + audited.steps, episodes + audited.episodes
            sheets.append(sheet(audited, generator))
            missing |= set(uncalibrated(audited.flown))
    for number, proof in enumerate(proofs):
        proof.episode.index, proof.episode.policy = number, proof.policy
    verdict, reason = judge(proofs, sorted(missing), episodes, steps)
    return {
        "target": run.target,
        "environment": target.name,
        "source_hash": source,
        "reward_hash": reward_hash(run.reward),
        "seed": run.seed,
        "seeds": {"survey": seeds[: run.audit.seeds], "fresh": seeds[run.audit.seeds :]},
        "verdict": verdict.name,
        "reason": reason,
        "findings": [proof.finding.to_json() for proof in proofs],
        "tasks": sheets,
        "flown": {"episodes": episodes, "steps": steps},
        "notes": notes,
        "config": run.model_dump(mode="json", include={"reward", "rollout", "audit"}),
        **provenance(),
    }, proofs


class Audited:
    """One task's audit: a survey, and where it raised a suspicion, everything again on fresh seeds.

    Attributes:
        flown: The survey, with the search's plan.
        found: What the search came to; None where it had no budget or found no plan that fails.
        proofs: What was found and stands.
        notes: What was suspected and does not.
        steps: Environment steps that were flown.
        episodes: Episodes that were flown.
    """

    def __init__(
        self, target: Target, run: RunConfig, guides: Guides, task: Json, seeds: Sequence[int]
    ) -> None:
        half = run.audit.seeds
        self.proofs: list[Confirmed] = []
        self.notes: list[str] = []
        with closing(Airfield(target, run, guides)) as field:
            self.flown = survey(field, task, seeds[:half])
            rng = np.random.default_rng(run.seed)
            self.found = seek(field, self.flown, run.audit.budget, rng)
            if self.found is not None:
                self.flown = fly_found(field, self.flown, self.found.plan)
            self.steps, self.episodes = field.steps, field.episodes
        if first := suspicions(self.flown):
            with closing(Airfield(target, run, guides)) as field:
                again = survey(field, task, seeds[half:])
                if self.found is not None:
                    again = fly_found(field, again, self.found.plan)
                self.proofs, self.notes = confirm(field, task, first, suspicions(again))
                self.steps += field.steps
                self.episodes += field.episodes


def find_tasks(run: RunConfig, source: str | None) -> tuple[list[Json], list[str]]:
    """The tasks to audit: the one given, those that the run's map flew, or the default one."""
    if run.audit.reset:
        return [dict(run.audit.reset)], []
    try:
        record = read_record(run.out / MAP, "map", MAP_VERSION, source)
    except MissingRecord:
        said = f"only the default task was audited: {run.out / MAP} lists others once `map` has run"
        return [{}], [said]
    flown = [task["options"] for task in record["tasks"]["flown"]]
    plain = [{k: v for k, v in options.items() if k != "seed"} for options in flown]
    return plain or [{}], []


def sheet(audited: Audited, generator: np.random.Generator) -> Json:
    """What the record says of a task."""
    flown, found = audited.flown, audited.found
    scale = Scale(flown)
    return {
        "task": flown.task,
        "numbers": headline(flown, generator),
        "policies": [row_json(row, scale, generator) for row in flown.rows],
        "search": None
        if found is None
        else {
            "best_failing_return": found.worth,
            "plan": encode(found.plan),
            "curve": [{"steps": steps, "best": best} for steps, best in found.curve],
        },
    }


def uncalibrated(flown: Survey) -> list[str]:
    """What is missing to tell success from failure on this task, as sentences."""
    episodes = [episode for row in flown.rows for episode in row.episodes]
    if all(episode.error is not None for episode in episodes):
        return [f"every episode was lost: {episodes[0].error}"]
    if all(episode.success is None for episode in episodes):
        return ["the environment never says whether an episode succeeded"]
    if not any(row.succeeded for row in flown.rows):
        return ["no policy succeeded: give one that does with --reference"]
    return []


def judge(
    proofs: Sequence[Confirmed], missing: Sequence[str], episodes: int, steps: int
) -> tuple[Verdict, str]:
    """The verdict and its reason."""
    if proofs:
        names = ", ".join(dict.fromkeys(proof.finding.id for proof in proofs))
        return Verdict.NO_GO, f"proven and replayed in a fresh process: {names}"
    if missing:
        return Verdict.HOLD, f"uncalibrated: {'; '.join(missing)}"
    return Verdict.GO, f"none found in {episodes} episodes, {steps} steps"
