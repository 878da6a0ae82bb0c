"""What one task's audit came to, from which the record is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gonogo.auditing.confirmation import Confirmed
from gonogo.auditing.session import AuditContext
from gonogo.auditing.task import TaskAudit
from gonogo.auditing.task_sheet import sheet, uncalibrated
from gonogo.records.audit import AuditedTask, BrokenOffTask
from gonogo.wire import TaskOptions


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one task's audit came to.

    Attributes:
        sheet: What the record says of the task; None where nothing was flown.
        proofs: What was found and stands.
        notes: What was suspected and does not.
        missing: What is missing to judge the task, as sentences.
        episodes: Episodes that were flown.
        steps: Environment steps that were flown.
        spent: Steps and resets that were flown.
        exhausted: Whether the whole sequence of flights was flown.
        unreached: What was not begun in the time, in words.
        first_s: Seconds from the command's beginning to the first finding; None where there was none, or where
            flights of an audit before it showed it.
        waits: Whether something that would block was not told because the audit ended.
        panel_s: Seconds that what is left of the panel takes at the pace at which it was flown.
    """

    sheet: AuditedTask | BrokenOffTask | None
    proofs: list[Confirmed]
    notes: list[str]
    missing: list[str]
    episodes: int
    steps: int
    spent: int
    exhausted: bool
    unreached: tuple[str, ...]
    first_s: float | None
    waits: bool = False
    panel_s: float = 0.0


def audit_task(
    context: AuditContext, task: TaskOptions, seeds: Sequence[int], number: int
) -> Outcome:
    """Audit one task and say what the record needs of it.

    Args:
        context: What is flown, how, where it ends, and where it is written down.
        task: Reset options without a seed.
        seeds: The survey's, then as many fresh ones.
        number: The task's place among the audit's tasks.
    """
    audited = TaskAudit(context, task, seeds)
    generator = np.random.default_rng([context.run.seed, number])
    if audited.exhausted:
        context.part.finish()
    flown = audited.flown
    return Outcome(
        sheet(
            flown,
            audited.analysed,
            audited.searched,
            audited.candidate,
            context.card,
            generator,
            context.judge.record,
            audited.explored,
        )
        if flown.rows
        else None,
        audited.proofs,
        audited.notes,
        [*uncalibrated(flown, context.judge.record), *audited.unclear] if flown.rows else [],
        context.log.episodes,
        context.log.steps,
        context.log.spent,
        audited.exhausted,
        audited.unreached,
        audited.first_s,
        audited.waits,
        audited.panel_s,
    )
