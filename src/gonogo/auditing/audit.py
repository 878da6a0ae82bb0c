"""The audit station: the cheapest way to be paid for nothing, with witnesses that anyone can replay.

It reads the run's ``map.json``: its tasks are audited, and what broke the contract there is a finding here. It
leaves ``audit.json``, the same for a reader as ``audit.md``, and, where something was found, ``witnesses.jsonl``:
episodes that ``gonogo replay`` flies again. Every policy flies the same tasks and seeds; what looks paid for
nothing is flown again by everybody on fresh seeds in a fresh process, and replayed there. The environment's own
word for success is used, never the reward's. A proven finding is NO-GO, one that is merely suspicious a warning;
without a succeeding policy or a word for success the audit is uncalibrated and holds; GO says that nothing was found
within this budget, not that all is safe.

The clock ends it, or a budget in steps that repeats it: see :mod:`gonogo.auditing.budget`.

Tasks are audited side by side, on one machine or over Ray: see :mod:`gonogo.auditing.parallel`. An
interrupted audit goes on where it was: see :mod:`gonogo.auditing.flight_log`.
"""

from __future__ import annotations

import math
import shlex
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from gonogo.auditing.causes import one_a_cause
from gonogo.auditing.confirmation import Confirmed
from gonogo.auditing.flight_log import log_folder
from gonogo.auditing.outcome import Outcome
from gonogo.auditing.parallel import audit_tasks
from gonogo.auditing.places import located
from gonogo.auditing.replacement import check_result
from gonogo.auditing.report import markdown, print_audit
from gonogo.config import RunConfig
from gonogo.env.acceptance import acceptances
from gonogo.env.environment import Env
from gonogo.errors import RecordError
from gonogo.records.audit import (
    AuditBudget,
    AuditClock,
    AuditLimit,
    AuditReport,
    AuditSeeds,
    EpisodeCounts,
    TaskSheet,
    assumed_in,
    conclude,
)
from gonogo.records.contract import ContractReport
from gonogo.records.files import write_text
from gonogo.records.findings import Finding
from gonogo.records.provenance import provenance
from gonogo.records.record import Verdict
from gonogo.records.tables import cut as shorten
from gonogo.records.tables import task_text
from gonogo.records.terminal import Terminal
from gonogo.rollouts.watch import Watch
from gonogo.wire import TaskOptions

MOST_NAMED, MOST_CHARS = 4, 60
MOST_BYTES = 1 << 29
"""Bytes of flights that are kept for an audit that goes on."""
PAGE, WITNESSES = "audit.md", "witnesses.jsonl"


def run(
    run: RunConfig,
    env: Env | None = None,
    *,
    guides: Sequence[str] = (),
    watch: Watch | None = None,
    over_ray: bool = False,
    force: bool = False,
) -> Verdict:
    """Audit the target, write the record and the witnesses, print the tables.

    Args:
        run: The config; its ``audit`` says how much is flown.
        env: The environment; it is flown in processes of the audit's own. None for the config's.
        guides: Names of policies, given to the environment as objects, that are meant to succeed.
        watch: The command's clock; None for one that never ends. A budget of the config takes its place.
        over_ray: Whether Ray's workers audit the tasks instead of this process; the record is the same.
        force: Whether an audit that could not tell replaces one that came to a verdict.

    Returns:
        NO_GO where a finding is proven, HOLD where the audit is uncalibrated, else GO.

    Raises:
        TargetError: There is no environment at the target.
        EnvironmentFailure: It could not be started.
        PolicyFailure: A policy that is meant to succeed failed.
        MissingRecord: The run has no map.
        StaleRecord: The run's map is of another version of the environment, or a worker has another one.
        MissingExtra: The ``ray`` extra is not installed.
        Misuse: The target cannot be audited over Ray, or the folder holds an audit that knows more.
    """
    env = env or Env.of(run)
    card = ContractReport.load(run.out, env.source)
    run = run.within(card.terminal.limit)
    logs = log_folder(run, env, flyable_tasks(card))
    before = standing_in(run, env) if any(logs.iterdir()) else None
    watch = watch or Watch()
    report, proofs = describe(run, env, card, logs, guides, watch, over_ray=over_ray)
    if before is not None:
        report = report.model_copy(update={"notes": (*report.notes, *added(before, report))})
    if not force:
        check_result(run, report)
    report.save(run.out)
    write_text(run.out / PAGE, markdown(report))
    lines = [proof.episode.to_json() for proof in proofs if proof.episode is not None]
    write_text(run.out / WITNESSES, "".join(f"{line}\n" for line in lines))
    if report.budget.ended == "flown" or size_of(logs) > MOST_BYTES:
        shutil.rmtree(logs.parent)
    print_audit(report, Terminal())
    return report.verdict


def standing_in(run: RunConfig, env: Env) -> AuditReport | None:
    """The audit of the folder that this one goes on with; None where there is none, or it was flown to its end."""
    try:
        before = AuditReport.load(run.out, env.source)
    except RecordError:
        return None
    return before if before.budget.ended != "flown" and before.seed == run.seed else None


def added(before: AuditReport, now: AuditReport) -> list[str]:
    """What an audit adds to the one that it goes on with, as a sentence; none where it adds no steps."""
    steps = now.flown.steps - before.flown.steps
    if steps <= 0:
        return []
    known = {(finding.id, repr(finding.task)) for finding in before.findings}
    new = [f.id for f in now.findings if (f.id, repr(f.task)) not in known]
    more = f"{len(new)} finding{'' if len(new) == 1 else 's'} more ({', '.join(new)})"
    found = f"found {more}" if new else "found nothing new"
    return [f"This run added {steps:,} steps to the earlier audit and {found}"]


def size_of(folder: Path) -> int:
    """Bytes of a folder's files."""
    return sum(file.stat().st_size for file in folder.iterdir())


def describe(
    run: RunConfig,
    env: Env,
    card: ContractReport,
    logs: Path,
    guides: Sequence[str],
    watch: Watch,
    *,
    over_ray: bool,
) -> tuple[AuditReport, list[Confirmed]]:
    """The record and the proofs behind the audit's own findings."""
    drawn = np.random.default_rng(run.seed).choice(2**31, size=2 * run.audit.seeds, replace=False)
    seeds = [int(seed) for seed in drawn]
    tasks = flyable_tasks(card)
    turns = audit_tasks(run, env, card, tasks, seeds, logs, guides, watch, over_ray=over_ray)
    outcomes = [outcome for outcome in turns if outcome is not None]
    sheets = [outcome.sheet for outcome in outcomes if outcome.sheet is not None]
    idle = [task_text(t) for t, o in zip(tasks, turns, strict=True) if o is None or o.sheet is None]
    proofs = [proof for outcome in outcomes for proof in outcome.proofs]
    flown = [(proof.episode, proof.policy) for proof in proofs if proof.episode is not None]
    for number, (episode, policy) in enumerate(flown):
        episode.index, episode.policy = number, policy
    known = acceptances(env.target)
    causes = one_a_cause(merged([*card.findings, *(proof.finding for proof in proofs)]))
    # A reward from outside is computed on no line of the environment's.
    findings = known.over(causes if run.audit.rewards else located(causes, env))
    missing = sorted({said for outcome in outcomes for said in outcome.missing})
    counts = EpisodeCounts(
        episodes=sum(outcome.episodes for outcome in outcomes),
        steps=sum(outcome.steps for outcome in outcomes),
    )
    missing += [] if tasks else [f"no task could be flown: {card.reason}"]
    missing += [f"the audit ended before anything of {', '.join(idle)} was flown"] if idle else []
    budget = budget_of(turns)
    short = budget.ended == "cut" and bool(idle or any(outcome.waits for outcome in outcomes))
    limit = AuditLimit(turns=run.rollout.max_turns, why=card.terminal.why)
    cut = [note for sheet in sheets for note in cut_notes(sheet, limit)]
    unchecked = tuple(unchecked_of(card))
    said = counts.text(cut=bool(cut)) + budget.text
    verdict, reason = conclude(findings, missing, said, assumed_in(sheets), unchecked)
    report = AuditReport(
        target=run.target,
        environment=env.name,
        source_hash=env.source,
        reward_hash=env.reward_hash,
        seed=run.seed,
        seeds=AuditSeeds(
            survey=tuple(seeds[: run.audit.seeds]), fresh=tuple(seeds[run.audit.seeds :])
        ),
        verdict=verdict,
        reason=reason,
        findings=findings,
        tasks=tuple(sheets),
        flown=counts,
        budget=budget,
        clock=AuditClock(
            minutes=None if run.audit.budget is not None else run.audit.minutes,
            first_finding_s=first_of(outcomes),
            verdict_s=watch.gone,
            minutes_needed=minutes_needed(run, outcomes, watch.gone) if short else None,
        ),
        limit=limit,
        notes=(
            *known.notes(findings),
            *known.unmatched(findings),
            *cut,
            *unchecked_notes(run, card),
            *(note for outcome in outcomes for note in outcome.notes),
        ),
        missing=tuple(missing),
        unchecked=unchecked,
        config=run.model_dump(
            mode="json",
            include={"reward", "rollout", "audit"},
            # what a budget ends the clock does not
            exclude={"audit": {"minutes"}} if run.audit.budget is not None else None,
        ),
        **provenance(),
    )
    return report, proofs


def budget_of(turns: Sequence[Outcome | None]) -> AuditBudget:
    """What was spent, what ended the audit, and what it did not reach."""
    unreached = dict.fromkeys(
        stage for outcome in turns if outcome is not None for stage in outcome.unreached
    )
    flown = all(outcome is not None and outcome.exhausted for outcome in turns)
    return AuditBudget(
        spent=sum(outcome.spent for outcome in turns if outcome is not None),
        ended="flown" if flown else "cut",
        unreached=tuple(unreached),
    )


def minutes_needed(run: RunConfig, outcomes: Sequence[Outcome], gone: float) -> int | None:
    """Minutes with which an audit that the clock cut is likely to come to a verdict; None where a budget cut it.

    They are twice what was spent, or as many as the rest of the panel takes at the pace at which it was flown.

    Args:
        run: The config.
        outcomes: What the tasks came to.
        gone: Seconds that the command took.
    """
    if run.audit.budget is not None:
        return None
    rest = sum(outcome.panel_s for outcome in outcomes)
    return math.ceil(max(2 * gone, 120 * run.audit.minutes, gone + rest) / 60)


def unchecked_of(card: ContractReport) -> Iterator[str]:
    """What of the contract the map's time ended before, in words; nothing where it checked all."""
    for task, checks in late_of(card).items():
        more = f" and {len(checks) - MOST_NAMED} more" if len(checks) > MOST_NAMED else ""
        yield f"not checked of the contract{task}, for the map's time was over: {', '.join(checks[:MOST_NAMED])}{more}"


def unchecked_notes(run: RunConfig, card: ContractReport) -> Iterator[str]:
    """The same in full, and what checks it."""
    if late := late_of(card):
        said = "; ".join(f"{', '.join(checks)}{task}" for task, checks in late.items())
        out = shlex.quote(str(run.out))
        yield (
            f"the map ended with its time before it checked {said}: gonogo map {shlex.quote(run.target)} --out {out} "
            "does, with --minutes where two are too few"
        )


def late_of(card: ContractReport) -> dict[str, list[str]]:
    """The checks that the map's time ended before, by the task in words, which are empty for the default one."""
    late: dict[str, list[str]] = {}
    for item in card.items:
        if item.evidence.late:
            task = f" of {task_text(item.task)}" if item.task else ""
            late.setdefault(task, []).append(item.id)
    return late


def first_of(outcomes: Sequence[Outcome]) -> float | None:
    """Seconds to the first finding of any task; None without one."""
    return min((o.first_s for o in outcomes if o.first_s is not None), default=None)


def cut_notes(sheet: TaskSheet, limit: AuditLimit) -> Iterator[str]:
    """Whose numbers on a task are of episodes that the limit of turns ended, and not the environment."""
    rows = [row for row in sheet.policies if row.cut]
    if not rows:
        return
    cut, flown = sum(row.cut for row in rows), sum(row.episodes for row in sheet.policies)
    names = [shorten(row.policy, MOST_CHARS) for row in rows[:MOST_NAMED]]
    more = f" and {len(rows) - MOST_NAMED} more" if len(rows) > MOST_NAMED else ""
    yield (
        f"{task_text(sheet.task)}: {cut} of {flown} episodes were cut after {limit.turns} turns, or sooner where "
        f"nothing went on, before the environment ended them; returns and successes of {', '.join(names)}{more} are "
        "of cut episodes. The limit: "
        f"{limit.why}; rollout.max_turns in a --config sets another"
    )


def merged(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """All findings, each id once for a task: the first, or the first that blocks."""
    known: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        key = finding.id, repr(finding.task)
        if key not in known or (finding.blocks and not known[key].blocks):
            known[key] = finding
    return tuple(known.values())


def flyable_tasks(card: ContractReport) -> tuple[TaskOptions, ...]:
    """Reset options of each task that the map could fly, without a seed and each once.

    What loses random flights, or every reset, loses the audit's too, each after a timeout perhaps.
    """
    episodes = [item for item in card.items if item.id == "episode"]
    lost = [i.task for i in episodes if i.verdict == "fail" or i.evidence.unbegun]
    flown = [task.options for task in card.tasks.flown if task.options not in lost]
    plain = [{k: v for k, v in options.items() if k != "seed"} for options in flown]
    return tuple(options for n, options in enumerate(plain) if options not in plain[:n])
