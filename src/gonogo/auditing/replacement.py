"""Which of two audits of an environment knows more: a weaker one, or one of another reward, replaces none unasked."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path

from gonogo.auditing.flight_log import FOLDER
from gonogo.config import RunConfig
from gonogo.config.kept_flags import place
from gonogo.env.acceptance import acceptances
from gonogo.env.environment import Env
from gonogo.errors import Misuse, RecordError
from gonogo.records.audit import AuditReport
from gonogo.records.provenance import reward_hash
from gonogo.records.record import Verdict

ENDS = {"rollout": {"max_turns"}, "audit": {"jobs", "budget", "minutes"}}
"""Settings that say only where flights end, or how many fly at once: a run may differ in them and go on."""


def weaker(run: RunConfig) -> list[str]:
    """In what an audit of this run would be weaker than the one that its folder holds; empty where it would not.

    Args:
        run: The config of the new one.

    Raises:
        TargetError: There is no environment at the target.
    """
    old = standing(run, run.audit.rewards)
    if old is None:
        return []
    by, found = old.made_by, []
    for what, before, now in (
        ("--success", by.rollout.success, run.rollout.success),
        ("--reference", by.audit.reference, run.audit.reference),
        ("--policy", by.audit.policy, run.audit.policy),
    ):
        if before is not None and now is None:
            found.append(f"without {what} {before}")
    for what, most, much in (
        ("--budget", budget_of(old), run.audit.budget),
        ("audit.search", by.audit.search, run.audit.search),
        ("--seeds", by.audit.seeds, run.audit.seeds),
    ):
        if much is not None and much < most:
            found.append(f"{what} {much} instead of {most}")
    took = minutes_of(old) if run.audit.budget is None else 0.0
    if run.audit.minutes < took and not continues(run, old):
        found.append(f"--minutes {run.audit.minutes:g} instead of {took:g}")
    if run.map.reset and len(old.tasks) > 1:
        found.append(f"one task instead of {len(old.tasks)}")
    return found


def budget_of(old: AuditReport) -> int:
    """The budget that flies what an audit flew: its own, where its last flight went beyond that."""
    asked, spent = old.made_by.audit.budget, old.budget.spent
    return spent if asked is None else min(asked, spent)


def minutes_of(old: AuditReport) -> float:
    """Minutes within which an audit came to its end; 0 where a budget ended it and the clock tells nothing."""
    allowed = old.clock.minutes
    return 0.0 if allowed is None else min(allowed, math.ceil(old.clock.verdict_s / 6) / 10)


def continues(run: RunConfig, old: AuditReport) -> bool:
    """Whether an audit of this run goes on with the flights of the one that stands, and so flies as much and more.

    Args:
        run: The config of the new one.
        old: The record that stands.
    """
    if old.budget.ended == "flown" or not any((run.out / FOLDER).glob("*/*.jsonl")):
        return False
    parts = set(ENDS)
    now = run.model_dump(mode="json", include=parts, exclude=ENDS)
    then = old.model_dump(mode="json", include={"config": parts}, exclude={"config": ENDS})
    return old.seed == run.seed and then["config"] == now


def check_settings(run: RunConfig) -> None:
    """Refuse an audit that would be weaker than the one that its folder holds, or of another reward.

    Raises:
        Misuse: It would be; the message says in what.
        TargetError: There is no environment at the target.
    """
    check_pay(run)
    if found := weaker(run):
        old, most = audit_in(run), run.audit.budget
        if (
            old is not None
            and most is not None
            and found == [f"--budget {most} instead of {budget_of(old)}"]
        ):
            raise Misuse(
                f"{AuditReport.path(run.out)} holds a larger audit ({budget_of(old)} steps and resets; you asked for "
                f"{most}): give --budget {budget_of(old)} or more, another --out, or --force to replace it"
            )
        raise Misuse(
            f"{AuditReport.path(run.out)} holds a stronger audit of the same environment, and this one would "
            f"be weaker: {', '.join(found)}; give what is missing, another --out, or --force to replace it"
        )


def check_pay(run: RunConfig) -> None:
    """Refuse an audit of another reward than the one whose audit the folder holds: neither of the two stands for both.

    Raises:
        Misuse: It is of another one; a reward file that was edited is no other one.
        TargetError: There is no environment at the target.
    """
    old = audit_in(run)
    if old is None:
        return
    by = old.made_by
    before = pay(None if by.reward is None else Path(by.reward), by.audit.rewards)
    now = pay(run.reward, run.audit.rewards)
    if before != now:
        raise Misuse(
            f"{AuditReport.path(run.out)} holds an audit of {before}, and this one would be of {now}: choose another "
            "--out, or replace it with gonogo audit --force"
        )


def pay(file: Path | None, functions: Sequence[str]) -> str:
    """What pays, in words that are the same for the same."""
    if functions:
        return f"the reward functions {', '.join(functions)}"
    if file is not None:
        return f"the reward of {os.path.realpath(file)}"
    return "the environment's own reward"


def check_result(run: RunConfig, new: AuditReport) -> None:
    """Refuse to replace an audit that came to a verdict by one that could not tell, or one that flew more.

    Args:
        run: The config of the new one.
        new: Its record.

    Raises:
        Misuse: The standing one has a verdict and this one has none, or the time cut this one before it flew as much.
    """
    old = standing(run, run.audit.rewards)
    if old is not None and new.budget.ended == "cut" and new.budget.spent < old.budget.spent:
        raise Misuse(
            f"{AuditReport.path(run.out)} holds an audit of the same environment that flew more ({old.budget.spent} "
            f"steps and resets, this one {new.budget.spent}): the new one is not written; give it more --minutes, or "
            "--force to replace the old one"
        )
    if old is not None and new.verdict is Verdict.HOLD is not old.verdict:
        raise Misuse(
            f"{AuditReport.path(run.out)} holds an audit of the same environment that came to {old.verdict.name} "
            f"({old.reason}), and this one could not tell ({new.reason}): the new one is not "
            "written; --force replaces the old one"
        )


def standing(run: RunConfig, functions: Sequence[str] = ()) -> AuditReport | None:
    """The audit that the folder holds of the same environment and the same pay; None where there is none.

    Args:
        run: The config; its reward pays, or else the environment's own.
        functions: A trainer's reward functions that pay in its place.

    Raises:
        TargetError: There is no environment at the target.
    """
    record = audit_in(run)
    if record is None or record.reward_hash != reward_hash(run.reward):
        return None
    return record if record.made_by.audit.rewards == tuple(functions) else None


def audit_in(run: RunConfig) -> AuditReport | None:
    """The audit that the folder holds of the environment as it is now, whatever pays; None where there is none.

    Its verdict is what follows from what is accepted by now.

    Raises:
        TargetError: There is no environment at the target.
        ConfigError: What says what is accepted breaks a rule.
    """
    env = Env.of(run)
    try:
        record = AuditReport.load(run.out, env.source)
    except RecordError:
        return None
    record = record.accepting(acceptances(env.target).reason)
    return record if place(record.target) == place(run.target) else None
