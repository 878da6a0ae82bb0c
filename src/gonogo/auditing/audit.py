"""The audit station: the cheapest way to be paid for nothing, with witnesses that anyone can replay.

It reads the run's ``map.json``: its tasks are audited, and what broke the contract there is a finding here. It
leaves ``audit.json``, the same for a reader as ``audit.md``, and, where something was found, ``witnesses.jsonl``:
episodes that ``gonogo replay`` flies again. Every policy flies the same tasks and seeds; what looks paid for
nothing is flown again by everybody on fresh seeds in a fresh process, and replayed there. The environment's own
word for success is used, never the reward's. A proven finding is NO-GO, one that is merely suspicious a warning;
without a succeeding policy or a word for success the audit is uncalibrated and holds; GO says that nothing was found
within this budget, not that all is safe.

Tasks are audited side by side, on one machine or over Ray: see :mod:`gonogo.auditing.parallel`. An
interrupted audit goes on where it was: see :mod:`gonogo.auditing.flight_log`.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from gonogo.auditing.confirmation import Confirmed
from gonogo.auditing.flight_log import log_folder
from gonogo.auditing.parallel import audit_tasks
from gonogo.auditing.replacement import check_calibrated
from gonogo.auditing.report import markdown, print_audit
from gonogo.config import RunConfig
from gonogo.env.acceptance import acceptances
from gonogo.env.environment import Env
from gonogo.records.audit import (
    AuditLimit,
    AuditReport,
    AuditSeeds,
    EpisodeCounts,
    TaskSheet,
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
from gonogo.wire import TaskOptions

MOST_NAMED, MOST_CHARS = 4, 60
PAGE, WITNESSES = "audit.md", "witnesses.jsonl"


def run(
    run: RunConfig,
    env: Env | None = None,
    *,
    guides: Sequence[str] = (),
    over_ray: bool = False,
    force: bool = False,
) -> Verdict:
    """Audit the target, write the record and the witnesses, print the tables.

    Args:
        run: The config; its ``audit`` says how much is flown.
        env: The environment; it is flown in processes of the audit's own. None for the config's.
        guides: Names of policies, given to the environment as objects, that are meant to succeed.
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
    report, proofs = describe(run, env, card, logs, guides, over_ray=over_ray)
    if not force:
        check_calibrated(run, report)
    report.save(run.out)
    write_text(run.out / PAGE, markdown(report))
    lines = [proof.episode.to_json() for proof in proofs if proof.episode is not None]
    write_text(run.out / WITNESSES, "".join(f"{line}\n" for line in lines))
    shutil.rmtree(logs.parent)
    print_audit(report, Terminal())
    return report.verdict


def describe(
    run: RunConfig,
    env: Env,
    card: ContractReport,
    logs: Path,
    guides: Sequence[str],
    *,
    over_ray: bool,
) -> tuple[AuditReport, list[Confirmed]]:
    """The record and the proofs behind the audit's own findings."""
    drawn = np.random.default_rng(run.seed).choice(2**31, size=2 * run.audit.seeds, replace=False)
    seeds = [int(seed) for seed in drawn]
    tasks = flyable_tasks(card)
    outcomes = audit_tasks(run, env, card, tasks, seeds, logs, guides, over_ray=over_ray)
    proofs = [proof for outcome in outcomes for proof in outcome.proofs]
    flown = [(proof.episode, proof.policy) for proof in proofs if proof.episode is not None]
    for number, (episode, policy) in enumerate(flown):
        episode.index, episode.policy = number, policy
    known = acceptances(env.target)
    findings = known.over(merged([*card.findings, *(proof.finding for proof in proofs)]))
    missing = sorted({said for outcome in outcomes for said in outcome.missing})
    counts = EpisodeCounts(
        episodes=sum(outcome.episodes for outcome in outcomes),
        steps=sum(outcome.steps for outcome in outcomes),
    )
    missing += [] if tasks else [f"no task could be flown: {card.reason}"]
    limit = AuditLimit(turns=run.rollout.max_turns, why=card.terminal.why)
    cut = [note for outcome in outcomes for note in cut_notes(outcome.sheet, limit)]
    verdict, reason = conclude(findings, missing, counts.text(cut=bool(cut)))
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
        tasks=tuple(outcome.sheet for outcome in outcomes),
        flown=counts,
        limit=limit,
        notes=(
            *known.notes(findings),
            *known.unmatched(findings),
            *cut,
            *(note for outcome in outcomes for note in outcome.notes),
        ),
        missing=tuple(missing),
        config=run.model_dump(mode="json", include={"reward", "rollout", "audit"}),
        **provenance(),
    )
    return report, proofs


def cut_notes(sheet: TaskSheet, limit: AuditLimit) -> Iterator[str]:
    """Whose numbers on a task are of episodes that the limit of turns ended, and not the environment."""
    rows = [row for row in sheet.policies if row.cut]
    if not rows:
        return
    cut, flown = sum(row.cut for row in rows), sum(row.episodes for row in sheet.policies)
    names = [shorten(row.policy, MOST_CHARS) for row in rows[:MOST_NAMED]]
    more = f" and {len(rows) - MOST_NAMED} more" if len(rows) > MOST_NAMED else ""
    yield (
        f"{task_text(sheet.task)}: {cut} of {flown} episodes were cut after {limit.turns} turns, before the "
        f"environment ended them; returns and successes of {', '.join(names)}{more} are of cut episodes. The limit: "
        f"{limit.why}; rollout.max_turns in a --config sets another"
    )


def merged(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """All findings, each id once for a task."""
    known: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        known.setdefault((finding.id, repr(finding.task)), finding)
    return tuple(known.values())


def flyable_tasks(card: ContractReport) -> tuple[TaskOptions, ...]:
    """Reset options of each task that the map could fly, without a seed and each once.

    What loses random flights loses the audit's too, each after a timeout perhaps.
    """
    lost = [i.task for i in card.items if i.id == "episode" and i.verdict == "fail"]
    flown = [task.options for task in card.tasks.flown if task.options not in lost]
    plain = [{k: v for k, v in options.items() if k != "seed"} for options in flown]
    return tuple(options for n, options in enumerate(plain) if options not in plain[:n])
