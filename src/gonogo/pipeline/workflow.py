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
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import gonogo.audit.export as announce_station
import gonogo.audit.run as audit_station
import gonogo.contract.run as map_station
import gonogo.evaluate.run as evaluate_station
import gonogo.report.run as report_station
import gonogo.reward.run as reward_station
import gonogo.train.plan.station as plan_station
import gonogo.train.probe.station as probe_station
import gonogo.train.run as train_station
from gonogo.audit import stronger
from gonogo.config import UNPLANNED, RunConfig, TrainConfig, load, read_words
from gonogo.env.source import check_function, source_of, source_of_all
from gonogo.env.target import resolve
from gonogo.errors import MissingRecord, Misuse, RecordError, StaleRecord
from gonogo.records.base import (
    ACCEPTED,
    AUDIT,
    EVALUATION,
    MAP,
    REPORT,
    TRAIN,
    Shared,
    Verdict,
    accepted_in,
    provenance,
    read_record,
    reward_hash,
    write_record,
)
from gonogo.records.stations import WORDS
from gonogo.records.tables import Terminal
from gonogo.report.results_block import release
from gonogo.runners.open import check_ray
from gonogo.train.dry_run import check_apart, check_policies, rehearse

KIND, VERSION = "demo", 1
RECORD = "demo.json"
REAUDIT = "reaudit"


@dataclass(frozen=True, slots=True)
class Step:
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
    record: Shared
    gate: bool = True
    claim: Callable[[RunConfig], None] | None = None
    waive: Callable[[RunConfig], bool] | None = None

    @property
    def name(self) -> str:
        """The station's."""
        return self.record.station


def check_statement(run: RunConfig) -> None:
    """The gate before what costs much: a problem statement that its author has finished and confirmed.

    Args:
        run: The config; ``theme.required: false`` opens the gate.

    Raises:
        TargetError: There is no environment at the target.
        ConfigError: The file of the author's words broke a rule.
        MissingRecord: There is no such file.
        RecordError: The statement is not finished or not confirmed.
    """
    if not run.theme.required:
        return
    resolve(run.target)  # a word about the target comes before one about its statement
    how = f"see gonogo theme {run.target}, or go on --without-theme"
    if not run.words.is_file():
        raise MissingRecord(f"{run.words}: no problem statement there; {how}")
    if missing := read_words(run.words).missing():
        raise RecordError(f"{run.words}: {'; '.join(missing)}; {how}")


def may_go_on(run: RunConfig, reason: str | None, *, keep: bool = True) -> bool:
    """Whether no audit of the environment as it is now, in the run's folder, forbids to train on it.

    Only an audit of what would pay the training counts. A NO-GO forbids it until each of its findings is accepted with
    a reason, which stands in ``accepted.json`` from then on, and in the records of what follows. What it says is
    printed either way.

    Args:
        run: The config.
        reason: Why the author goes on with all findings that are not accepted yet; None for no reason.
        keep: Whether the reason is written down; a dry run writes nothing.
    """
    record = stronger.standing(run)
    if record is None or record["verdict"] != Verdict.NO_GO.name:
        return True
    before = accepted_in(run.out)
    known = {each["finding"] for each in before}
    found = list(dict.fromkeys(finding["id"] for finding in record["findings"]))
    new = [name for name in found if name not in known]
    console = Terminal(stderr=True)
    if new and reason is None:
        console.print(
            f"NO-GO: the audit in {run.out} found {', '.join(new)}: mend what it found and audit again, or go on with "
            "it by --accept REASON, which stands in every record that follows",
            markup=False,
            highlight=False,
        )
        return False
    now = [*before, *({"finding": name, "reason": reason} for name in new)]
    if new and keep:
        ACCEPTED.write(run.out, {"accepted": now, **provenance()})
    said = "; ".join(f"{e['finding']}: {e['reason']}" for e in now if e["finding"] in found)
    console.print(f"The audit is NO-GO, and accepted ({said})", markup=False, highlight=False)
    return True


def train(
    run: RunConfig, push: str | None = None, *, anew: bool = False, accept: str | None = None
) -> Verdict:
    """Train where the statement is confirmed and no audit forbids it; as the station and :func:`check_statement`.

    Args:
        run: The config.
        push: Repository of the hub that a model which is GO is uploaded to; None for none.
        anew: Whether what another training left in the run's folder is removed first.
        accept: Why findings of the run's audit are accepted; None where they are not.
    """
    if run.train is not None:  # of a config that does not train, the station says so
        check_statement(run)
        if not may_go_on(run, accept):
            return Verdict.NO_GO
        train_station.check(run, push)
        if anew:
            restart(run)
        check_new(run, run.train)
    return train_station.run(run, push)


def dry_run(run: RunConfig, memory: float | None = None, accept: str | None = None) -> Verdict:
    """Rehearse a training, and say whether an audit in the run's folder forbids it; nothing is written.

    Args:
        run: The config.
        memory: GB of the machine that is meant; None for this one.
        accept: Why findings of the run's audit would be accepted; None where they would not be.
    """
    allowed = may_go_on(run, accept, keep=False)
    verdict = rehearse(run, memory)
    return verdict if allowed else Verdict.NO_GO


def check_new(run: RunConfig, train: TrainConfig) -> None:
    """Before a training begins, whether what chooses and judges its model is new to it; one that has begun goes on.

    Raises:
        EnvironmentFailure: It is not, and ``evaluation.memorisation`` does not say that it is meant.
    """
    if not (run.out / train_station.PROGRESS).exists():
        check_apart(run, train)


def plan(
    run: RunConfig,
    file: Path,
    teacher: str | None,
    *,
    overwrite: bool = False,
    accept: str | None = None,
) -> Verdict:
    """Write a config to train by, and rehearse it; map first where the run has no map of the target as it is now.

    Args:
        run: What was said of it: target, seed, reward, success, a pretrained model.
        file: Where the config goes.
        teacher: Who is to be imitated; None for the policy that the environment declares.
        overwrite: Whether a file that is there is written over.
        accept: Why findings of the run's audit are accepted; None where they are not.

    Returns:
        The dry run's verdict, HOLD where many flights were lost; NO_GO where an audit forbids to train.

    Raises:
        Misuse: The file is there, or no policy has the teacher's name.
    """
    plan_station.check(run, file, teacher, overwrite=overwrite)
    if not may_go_on(run, accept):
        return Verdict.NO_GO
    if (stale := why_map(run)) is not None:
        first("map", stale)
        map_station.run(run)
    measured = plan_station.run(run, file, teacher)
    return Verdict.worst([measured, rehearse(load(file))])


def probe(run: RunConfig) -> Verdict:
    """Probe where the problem statement is confirmed; as the station and :func:`check_statement`."""
    check_statement(run)
    return probe_station.run(run)


def audit(run: RunConfig, *, over_ray: bool = False, force: bool = False) -> Verdict:
    """Audit the target and announce what was found; where the run has no map of it as it is now, map it first.

    Args:
        run: The config.
        over_ray: Whether Ray's workers audit the tasks instead of this process.
        force: Whether it replaces a stronger audit, or one of another reward.

    Returns:
        The audit's verdict. A map that is not GO holds nothing up: what broke the contract is among the
        audit's findings, and what the map could not see is no matter of the audit.

    Raises:
        MissingExtra: The ``ray`` extra is not installed.
        Misuse: The target cannot be audited over Ray, or the run's folder holds a stronger audit or one of
            another reward.
    """
    if over_ray:
        check_ray(run)
    for path in audit_station.functions_of(run):
        check_function(path, "audit")
    if not force:
        stronger.check_settings(run)
    if (stale := why_map(run)) is not None:
        first("map", stale)
        map_station.run(run)
    verdict = audit_station.run(run, over_ray=over_ray, force=force)
    announce_station.run(run)
    return verdict


def audit_unless_stronger(run: RunConfig) -> Verdict:
    """Audit, unless the folder holds a stronger audit of the same reward: then its verdict; as :func:`audit`."""
    if not (less := stronger.weaker(run)):
        return audit(run)
    said = (
        f"audit: the one in {run.out} is stronger than this config's and stands ({', '.join(less)})"
    )
    Terminal(stderr=True).print(said, markup=False, highlight=False)
    return Verdict[AUDIT.read(run.out)["verdict"]]


def why_map(run: RunConfig) -> str | None:
    """Why the run's map cannot be relied on, or None where it can."""
    source = source_of(resolve(run.target))
    try:
        record = MAP.read(run.out, source)
    except (MissingRecord, StaleRecord) as error:
        return str(error)
    now = {
        "target": run.target,
        "seed": run.seed,
        "config": run.model_dump(mode="json", include={"rollout", "map"}),
        "reward_hash": reward_hash(run.reward),
    }
    changed = [name for name, value in now.items() if record[name] != value]
    if record["packages"].get("gonogo") != provenance()["packages"].get("gonogo"):
        changed.append("version of gonogo")
    return f"{MAP.path(run.out)} is of another {', '.join(changed)}" if changed else None


def upgrade(run: RunConfig, *, overwrite: bool = False) -> Verdict:
    """Write a reward for the environment and audit both sides; map and audit come first where they are not there.

    Args:
        run: The config.
        overwrite: Whether a reward that was edited is replaced.

    Returns:
        The reward station's verdict.

    Raises:
        RecordError: The problem statement is not there, not finished or not confirmed.
    """
    check_statement(run)
    if (stale := why_map(run)) is not None:
        first("map", stale)
        map_station.run(run)
    try:
        reward_station.read_audit(run, run.out, own=True)
    except (MissingRecord, StaleRecord) as error:
        first("audit", str(error))
        audit(run)
    prepared = reward_station.prepare(run, overwrite=overwrite)
    new, again = run.out / reward_station.PROGRAM, run.out / REAUDIT
    audit(run.model_copy(update={"out": again, "reward": new}), force=True)
    return reward_station.conclude(run, prepared, again)


def first(station: str, why: str) -> None:
    """Say which station runs first, and why."""
    Terminal(stderr=True).print(f"{station} first: {why}", markup=False, highlight=False)


def report(run: RunConfig) -> Verdict:
    """Write the page of the run's folder."""
    return report_station.run(run.out)


MAPPED_BY = ("target", "reward", "seed", "rollout", "map")
TRAINED_BY = ("target", "reward", "seed", "model", "rollout", "train")
EVALUATED_BY = (*TRAINED_BY, "evaluation")
DEMO = (
    Step(map_station.run, MAPPED_BY, MAP),
    Step(audit_unless_stronger, (*MAPPED_BY, "audit"), AUDIT, claim=stronger.check_pay),
    Step(train_station.run, TRAINED_BY, TRAIN, claim=train_station.check_folder),
    Step(evaluate_station.run, EVALUATED_BY, EVALUATION, gate=False),
    Step(report, (*EVALUATED_BY, "map", "audit"), REPORT),
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
        RecordError: The problem statement is not there, not finished or not confirmed.
    """
    if run.train is None:
        raise Misuse(UNPLANNED)
    check_policies(run, run.train)
    check_statement(run)
    train_station.check(run)
    if anew:
        restart(run)
    check_new(run, run.train)
    steps = [
        replace(step, waive=lambda r: may_go_on(r, accept)) if step.record is AUDIT else step
        for step in DEMO
    ]
    return follow(run, tuple(steps))


def restart(run: RunConfig) -> None:
    """Remove what a training made in a run's folder, with the evaluation and the report of it, and nothing else.

    Raises:
        TargetError: There is no environment at the target, so that nothing could be made anew.
    """
    resolve(run.target)
    made = (*train_station.MADE, *evaluate_station.MADE, *report_station.MADE, RECORD)
    for path in (run.out / name for name in made):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def follow(run: RunConfig, steps: tuple[Step, ...]) -> Verdict:
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
            done[step.name] = {"fingerprint": fingerprint(run, step)}
            _write_done(run.out, done)  # claims the folder before the station fills it
            verdict = step.run(run)
            seconds = time.monotonic() - started
            done[step.name] |= {"verdict": int(verdict), "seconds": round(seconds, 1)}
            _write_done(run.out, done)
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


def fingerprint(run: RunConfig, step: Step) -> str:
    """SHA-256 of what the step's outcome depends on: config fields and the sources of the environments."""
    fields = run.model_dump(mode="json", include=set(step.depends_on))
    others = () if run.train is None else run.train.environments
    targets = [resolve(target) for target in (run.target, *(each.target for each in others))]
    depends = {
        "config": fields,
        "source_hash": source_of_all(targets),
        "reward_hash": reward_hash(run.reward),
    }
    text = json.dumps(depends, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _verdict_before(record: Path, finished: dict[str, Any] | None) -> Verdict | None:
    # A HOLD could not tell; asking again may.
    if finished is None or finished.get("verdict") in {None, Verdict.HOLD} or not record.is_file():
        return None
    return Verdict(finished["verdict"])


def _read_done(run: RunConfig, steps: tuple[Step, ...]) -> dict[str, dict[str, Any]]:
    """What the folder says was done of this very run."""
    path = run.out / RECORD
    try:
        stations: dict[str, dict[str, Any]] = read_record(path, KIND, VERSION)["stations"]
    except MissingRecord:
        return {}
    return {
        step.name: stations[step.name]
        for step in steps
        if step.name in stations and stations[step.name]["fingerprint"] == fingerprint(run, step)
    }


def _write_done(out: Path, done: dict[str, dict[str, Any]]) -> None:
    write_record(out / RECORD, KIND, VERSION, {"stations": done, **provenance()})


def _minutes(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def readme_of(
    run: Path, file: Path, words: Path | None, plots: Path | None
) -> report_station.Readme:
    """A README for the report, whose results are published as ``gonogo publish`` does.

    Args:
        run: Folder of the run.
        file: The README.
        words: File of the author's words; None for the run's own.
        plots: Folder to publish to; None for ``plots`` beside the README.
    """
    where = plots or file.parent / "plots"
    return report_station.Readme(file, words, where, lambda: release(run, where, file))
