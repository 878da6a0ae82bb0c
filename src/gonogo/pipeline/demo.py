"""Stations in their order, with the gates between them.

A pipeline runs a station, writes down that it ended, and stops at a gate that says NO-GO; a HOLD is said and goes
on, for it names what is missing and nothing that is wrong. Its record, ``demo.json``, holds for each station the
fingerprint of everything that the station's outcome depends on: its part of the config, and the environments' sources
where they are at hand. So a second call does not repeat what is done, an interrupted one goes on where it stopped, and
a folder that holds another training is refused instead of being mixed with this one.

The pipeline trains, flies and draws nothing itself.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import gonogo.contract.check_env as map_station
import gonogo.evaluation.evaluate as evaluate_station
import gonogo.reporting.report as report_station
import gonogo.training.phases as train_station
from gonogo.auditing import replacement
from gonogo.config import UNPLANNED, RunConfig
from gonogo.env.target import source_of_all
from gonogo.errors import MissingRecord, Misuse
from gonogo.pipeline.audit import audit_unless_stronger
from gonogo.pipeline.gates import map_may_go_on, may_go_on
from gonogo.pipeline.train import check_new, restart
from gonogo.records.audit import AuditReport
from gonogo.records.contract import ContractReport
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.provenance import provenance, reward_hash
from gonogo.records.record import Verdict, VerdictRecord
from gonogo.records.stations import WORDS, DemoReport, PageReport, StationDone
from gonogo.records.terminal import Terminal
from gonogo.records.training import TrainingReport
from gonogo.training.preflight import check_folder, check_policies, check_training


@dataclass(frozen=True, slots=True)
class PipelineStep:
    """One station of a pipeline.

    Attributes:
        run: The station; answers its verdict.
        depends_on: Top-level fields of the config that its outcome depends on.
        record: What it leaves in the run's folder; without it the station is not done.
        gate: Whether its NO-GO stops those after it.
        claim: Raises where the folder holds what is too dear to be made again over it; None where nothing is.
        waive: Whether the author goes on with its NO-GO all the same; None where nobody can.
    """

    run: Callable[[RunConfig], Verdict]
    depends_on: tuple[str, ...]
    record: type[VerdictRecord]
    gate: bool = True
    claim: Callable[[RunConfig], None] | None = None
    waive: Callable[[RunConfig], bool] | None = None

    @property
    def name(self) -> str:
        """The station's."""
        return self.record.station


MAPPED_BY = ("target", "reward", "seed", "rollout", "map")
TRAINED_BY = ("target", "reward", "seed", "model", "rollout", "train")
EVALUATED_BY = (*TRAINED_BY, "evaluation")
DEMO = (
    PipelineStep(map_station.run, MAPPED_BY, ContractReport, waive=map_may_go_on),
    PipelineStep(
        audit_unless_stronger, (*MAPPED_BY, "audit"), AuditReport, claim=replacement.check_pay
    ),
    PipelineStep(train_station.run, TRAINED_BY, TrainingReport, claim=check_folder),
    PipelineStep(evaluate_station.run, EVALUATED_BY, EvaluationReport, gate=False),
    PipelineStep(
        lambda run: report_station.run(run.out), (*EVALUATED_BY, "map", "audit"), PageReport
    ),
)


def demo(run: RunConfig, *, anew: bool = False, accept: str | None = None) -> Verdict:
    """From an environment to an agent and its report, without repeating what this run has already done.

    Args:
        run: The config; ``train`` must be given.
        anew: Whether what another training left in the run's folder is removed first.
        accept: Why findings of the audit are accepted; None where they are not.

    Returns:
        NO_GO where a station's answer is, else HOLD where one's is, else GO.

    Raises:
        Misuse: The config does not train, or the run's folder holds another run.
    """
    if run.train is None:
        raise Misuse(UNPLANNED)
    check_policies(run, run.train)
    check_training(run)
    if anew:
        restart(run)
    check_new(run, run.train)
    steps = [
        replace(step, waive=lambda r: may_go_on(r, accept)) if step.record is AuditReport else step
        for step in DEMO
    ]
    return follow(run, tuple(steps))


def follow(run: RunConfig, steps: tuple[PipelineStep, ...]) -> Verdict:
    """Run the steps in order up to the first gate that is NO-GO, and answer the worst; see the module."""
    console = Terminal(stderr=True)
    for step in steps:
        if step.claim is not None:
            step.claim(run)
    done = _read_done(run, steps)
    began = time.monotonic()
    verdicts = []
    for number, step in enumerate(steps, start=1):
        title = f"[bold]{number}/{len(steps)} {step.name}[/bold]"
        verdict = _verdict_before(step.record.path(run.out), done.get(step.name))
        if verdict is not None:
            console.print(f"{title}: done before, {verdict.name}, {step.record.path(run.out)}")
        else:
            console.print(f"{title}: {run.target} into {run.out}")
            started = time.monotonic()
            begun = StationDone(fingerprint=fingerprint(run, step))
            _write_done(run.out, done, step, begun)  # claims the folder before the station fills it
            verdict = step.run(run)
            seconds = time.monotonic() - started
            ended = {"verdict": verdict, "seconds": round(seconds, 1)}
            _write_done(run.out, done, step, begun.model_copy(update=ended))
            console.print(f"{title}: {verdict.name} after {_minutes(seconds)}")
        if verdict is Verdict.NO_GO and step.waive is not None and step.waive(run):
            continue
        verdicts.append(verdict)
        if step.gate and verdict is Verdict.NO_GO:
            break
    answer = Verdict.worst(verdicts)
    said = "All GO" if answer is Verdict.GO else WORDS[answer.name]
    console.print(f"{said} after {_minutes(time.monotonic() - began)}; records in {run.out}")
    return answer


def fingerprint(run: RunConfig, step: PipelineStep) -> str:
    """SHA-256 of what the step's outcome depends on: config fields and the sources of the environments."""
    fields = run.model_dump(mode="json", include=set(step.depends_on))
    depends = {
        "config": fields,
        "source_hash": source_of_all(run.targets),
        "reward_hash": reward_hash(run.reward),
    }
    text = json.dumps(depends, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _verdict_before(record: Path, finished: StationDone | None) -> Verdict | None:
    # A HOLD could not tell; asking again may.
    if finished is None or finished.verdict is Verdict.HOLD or not record.is_file():
        return None
    return finished.verdict


def _read_done(run: RunConfig, steps: tuple[PipelineStep, ...]) -> dict[str, StationDone]:
    """What the folder says was done of this very run."""
    try:
        stations = DemoReport.load(run.out).stations
    except MissingRecord:
        return {}
    return {
        step.name: stations[step.name]
        for step in steps
        if step.name in stations and stations[step.name].fingerprint == fingerprint(run, step)
    }


def _write_done(
    out: Path, done: dict[str, StationDone], step: PipelineStep, now: StationDone
) -> None:
    done[step.name] = now
    DemoReport(stations=done, **provenance()).save(out)


def _minutes(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
