"""Which of two audits of the same environment and reward knows more: a weaker one replaces no stronger one unasked."""

from __future__ import annotations

from gonogo.adapters.sources import source_of
from gonogo.adapters.targets import resolve
from gonogo.config import RunConfig
from gonogo.config.kept import place
from gonogo.errors import Misuse, RecordError
from gonogo.records import AUDIT, reward_hash
from gonogo.rollout.protocols import Json

__all__ = ["check_calibrated", "check_settings", "standing", "weaker"]


def weaker(run: RunConfig) -> list[str]:
    """In what an audit of this run would be weaker than the one that its folder holds; empty where it would not.

    Args:
        run: The config of the new one.

    Raises:
        TargetError: There is no environment at the target.
    """
    old = standing(run)
    if old is None:
        return []
    config, found = old["config"], []
    for what, before, now in (
        ("--success", config["rollout"]["success"], run.rollout.success),
        ("--reference", config["audit"]["reference"], run.audit.reference),
        ("--policy", config["audit"]["policy"], run.audit.policy),
    ):
        if before is not None and now is None:
            found.append(f"without {what} {before}")
    for what, most, much in (
        ("--budget", config["audit"]["budget"], run.audit.budget),
        ("--seeds", config["audit"]["seeds"], run.audit.seeds),
    ):
        if much < most:
            found.append(f"{what} {much} instead of {most}")
    if run.map.reset and len(old["tasks"]) > 1:
        found.append(f"one task instead of {len(old['tasks'])}")
    return found


def check_settings(run: RunConfig) -> None:
    """Refuse an audit that would be weaker than the one that its folder holds.

    Raises:
        Misuse: It would be; the message says in what.
        TargetError: There is no environment at the target.
    """
    if found := weaker(run):
        raise Misuse(
            f"{AUDIT.path(run.out)} holds a stronger audit of the same environment, and this one would be weaker: "
            f"{', '.join(found)}; give what is missing, another --out, or --force to replace it"
        )


def check_calibrated(run: RunConfig, body: Json) -> None:
    """Refuse to replace an audit that came to a verdict by one that could not tell.

    Args:
        run: The config of the new one.
        body: Its record.

    Raises:
        Misuse: The standing one has a verdict, and this one has none.
    """
    old = standing(run)
    if old is not None and body["verdict"] == "HOLD" != old["verdict"]:
        raise Misuse(
            f"{AUDIT.path(run.out)} holds an audit of the same environment that came to {old['verdict']} "
            f"({old['reason']}), and this one could not tell ({body['reason']}): it is not written; --force replaces it"
        )


def standing(run: RunConfig) -> Json | None:
    """The audit that the folder holds of the same environment and the same pay; None where there is none.

    Raises:
        TargetError: There is no environment at the target.
    """
    try:
        record = AUDIT.read(run.out, source_of(resolve(run.target)))
    except RecordError:
        return None
    same = (
        place(record["target"]) == place(run.target)
        and record["reward_hash"] == reward_hash(run.reward)
        and record["config"]["audit"]["rewards"] == list(run.audit.rewards)
    )
    return record if same else None
