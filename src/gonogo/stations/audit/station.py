"""The audit station: the cheapest way to be paid for nothing, with witnesses that anyone can replay.

It reads the run's ``map.json``: its tasks are audited, and what broke the contract there is a finding here. It
leaves ``audit.json`` and, where something was found, ``witnesses.jsonl``: episodes that ``gonogo replay``
flies again. Every policy flies the same tasks and seeds; what looks paid for nothing is flown again by
everybody on fresh seeds in a fresh process, and replayed there. The environment's own word for success is
used, never the reward's. A proven finding is NO-GO; without a succeeding policy or a word for success the
audit is uncalibrated and holds; GO says that nothing was found within this budget, not that all is safe.

Tasks are audited side by side, each by processes of its own, so that a record does not depend on how many
at once. An interrupted audit goes on where it was: see :mod:`gonogo.stations.audit.log`.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console

from gonogo.adapters.sources import source_of
from gonogo.adapters.targets import Target, resolve
from gonogo.config import RunConfig
from gonogo.exploits.witness import encode
from gonogo.findings import Finding
from gonogo.records import AUDIT, Verdict, provenance, write_text
from gonogo.rollout.protocols import Json
from gonogo.stations.audit.airfield import Airfield, Base
from gonogo.stations.audit.breaks import paid_late, prove, suspects
from gonogo.stations.audit.confirm import Confirmed, confirm
from gonogo.stations.audit.contract import Contract, read_contract
from gonogo.stations.audit.judge import suspicions
from gonogo.stations.audit.log import FlightLog, log_folder
from gonogo.stations.audit.numbers import headline, row_json
from gonogo.stations.audit.scale import Scale
from gonogo.stations.audit.seek import seek
from gonogo.stations.audit.survey import Survey, fly_found, survey
from gonogo.stations.audit.table import print_audit
from gonogo.stations.audit.watch import Watch

__all__ = ["run"]

WITNESSES = "witnesses.jsonl"


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
        MissingRecord: The run has no map.
        StaleRecord: The run's map is of another version of the environment.
    """
    target = resolve(run.target)
    source = source_of(target)
    contract = read_contract(run, source)
    logs = log_folder(run, source, contract)
    body, proofs = describe(run, target, source, contract, logs)
    AUDIT.write(run.out, body)
    lines = [proof.episode.to_json() for proof in proofs if proof.episode is not None]
    write_text(run.out / WITNESSES, "".join(f"{line}\n" for line in lines))
    shutil.rmtree(logs.parent)
    print_audit(body, Console())
    return Verdict[body["verdict"]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one task's audit came to.

    Attributes:
        sheet: What the record says of the task.
        proofs: What was found and stands.
        notes: What was suspected and does not.
        missing: What is missing to judge the task, as sentences.
        episodes: Episodes that were flown.
        steps: Environment steps that were flown.
    """

    sheet: Json
    proofs: list[Confirmed]
    notes: list[str]
    missing: list[str]
    episodes: int
    steps: int


def describe(
    run: RunConfig, target: Target, source: str | None, contract: Contract, logs: Path
) -> tuple[Json, list[Confirmed]]:
    """The record's body and the proofs behind the audit's own findings."""
    drawn = np.random.default_rng(run.seed).choice(2**31, size=2 * run.audit.seeds, replace=False)
    seeds = [int(seed) for seed in drawn]
    outcomes = audit_tasks(run, target, contract.tasks, seeds, logs)
    proofs = [proof for outcome in outcomes for proof in outcome.proofs]
    flown = [(proof.episode, proof.policy) for proof in proofs if proof.episode is not None]
    for number, (episode, policy) in enumerate(flown):
        episode.index, episode.policy = number, policy
    findings = merged(contract.findings, [proof.finding for proof in proofs])
    missing = sorted({said for outcome in outcomes for said in outcome.missing})
    episodes = sum(outcome.episodes for outcome in outcomes)
    steps = sum(outcome.steps for outcome in outcomes)
    missing += [] if contract.tasks else [f"no task could be flown: {contract.reason}"]
    verdict, reason = decide(
        contract.findings, proofs, missing, f"{episodes} episodes, {steps} steps"
    )
    return {
        "target": run.target,
        "environment": target.name,
        "source_hash": source,
        "seed": run.seed,
        "seeds": {"survey": seeds[: run.audit.seeds], "fresh": seeds[run.audit.seeds :]},
        "verdict": verdict.name,
        "reason": reason,
        "findings": [finding.to_json() for finding in findings],
        "tasks": [outcome.sheet for outcome in outcomes],
        "flown": {"episodes": episodes, "steps": steps},
        "notes": [note for outcome in outcomes for note in outcome.notes],
        "config": run.model_dump(mode="json", include={"rollout", "audit"}),
        **provenance(),
    }, proofs


def audit_tasks(
    run: RunConfig, target: Target, tasks: Sequence[Json], seeds: Sequence[int], logs: Path
) -> list[Outcome]:
    """Audit every task, as many at once as the config says; the outcomes in the tasks' order.

    Raises:
        KeyboardInterrupt: The user ended it; what was flown is written down.
    """
    with Watch() as watch, ThreadPoolExecutor(run.audit.jobs) as pool:

        def start(number: int, task: Json) -> Future[Outcome]:
            part = watch.part(task_name(task))
            base = Base(target, run, FlightLog(logs / f"task-{number}.jsonl"), part)
            return pool.submit(audit_task, base, task, seeds, number)

        futures = [start(number, task) for number, task in enumerate(tasks)]
        try:
            return [future.result() for future in futures]
        except BaseException:
            watch.stop()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def task_name(options: Json) -> str:
    """A task's reset options on one line."""
    return ", ".join(f"{key}={value}" for key, value in options.items()) or "default"


def audit_task(base: Base, task: Json, seeds: Sequence[int], number: int) -> Outcome:
    """Audit one task and say what the record needs of it."""
    audited = Audited(base, task, seeds)
    generator = np.random.default_rng([base.run.seed, number])
    base.part.finish()
    return Outcome(
        sheet(audited, generator),
        audited.proofs,
        audited.notes,
        [*uncalibrated(audited.flown), *audited.unclear],
        audited.episodes,
        audited.steps,
    )


class Audited:
    """One task's audit: a survey, and where it raised a suspicion, everything again on fresh seeds.

    Attributes:
        flown: The survey, with the search's plan.
        found: What the search came to; None where it had no budget or found no plan that fails.
        proofs: What was found and stands.
        notes: What was suspected and does not.
        unclear: What could not be told, as sentences.
        steps: Environment steps that were flown.
        episodes: Episodes that were flown.
    """

    def __init__(self, base: Base, task: Json, seeds: Sequence[int]) -> None:
        run = base.run
        half = run.audit.seeds
        self.proofs: list[Confirmed] = []
        self.notes: list[str] = []
        self.unclear: list[str] = []
        self.found = None
        with closing(Airfield(base)) as field:
            self.flown = survey(field, task, seeds[:half])
            if not self.flown.broken_off:
                rng = np.random.default_rng(run.seed)
                self.found = seek(field, self.flown, run.audit.budget, rng)
            if self.found is not None:
                self.flown = fly_found(field, self.flown, self.found.plan)
            late = paid_late(field, self.flown)
            self.steps, self.episodes = field.steps, field.episodes
        first, (nulls, lost) = suspicions(self.flown), suspects(self.flown)
        if first or nulls or lost or late:
            with closing(Airfield(base)) as field:
                self.proofs, self.unclear = prove(field, task, nulls, lost, late)
                if first:
                    again = survey(field, task, seeds[half:])
                    if self.found is not None:
                        again = fly_found(field, again, self.found.plan)
                    stands, self.notes = confirm(field, task, first, suspicions(again))
                    self.proofs += stands
                self.steps += field.steps
                self.episodes += field.episodes


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
    lost = [row for row in flown.rows if row.lost]
    if len(lost) == len(flown.rows):
        said = f"every episode was lost: {first_line(lost[0].episodes[0].error)}"
        return [f"{said}; if its reset needs an option, give it: --reset NAME=VALUE"]
    if lost:
        names = ", ".join(row.name for row in lost)
        return [f"every episode of {names} was lost: {first_line(lost[0].episodes[0].error)}"]
    if all(episode.success is None for episode in episodes):
        return ["the environment never says whether an episode succeeded"]
    if not any(row.succeeded for row in flown.rows):
        return ["no policy succeeded: give one that does with --reference"]
    return []


def first_line(said: str | None) -> str:
    """An error without the output that is quoted below it."""
    return (said or "").partition("\n")[0]


def merged(*kinds: Iterable[Finding]) -> list[Finding]:
    """All findings, each id once for a task: the contract's first."""
    known: dict[tuple[str, str], Finding] = {}
    for finding in (finding for findings in kinds for finding in findings):
        known.setdefault((finding.id, repr(finding.task)), finding)
    return list(known.values())


def decide(
    broken: Sequence[Finding], proofs: Sequence[Confirmed], missing: Sequence[str], flown: str
) -> tuple[Verdict, str]:
    """The verdict and its reason.

    Args:
        broken: What broke the contract.
        proofs: What the audit found itself.
        missing: What is missing to judge, as sentences.
        flown: How much was flown, in words.
    """
    names = ", ".join(dict.fromkeys(finding.id for finding in broken))
    known = {finding.id for finding in broken}
    own = ", ".join(dict.fromkeys(p.finding.id for p in proofs if p.finding.id not in known))
    said = [f"the contract is broken: {names}"] if names else []
    said += [f"proven and replayed in a fresh process: {own}"] if own else []
    if said:
        return Verdict.NO_GO, "; ".join(said)
    if missing:
        return Verdict.HOLD, f"uncalibrated: {'; '.join(missing)}"
    return Verdict.GO, f"none found in {flown}"
