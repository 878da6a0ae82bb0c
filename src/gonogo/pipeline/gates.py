"""What has to be so before a command begins: the problem statement, the audit, the map."""

from __future__ import annotations

import gonogo.contract.check_env as map_station
from gonogo.auditing import replacement
from gonogo.config import RunConfig, read_words
from gonogo.env.environment import Env
from gonogo.errors import Forbidden, MissingRecord, Misuse, RecordError, StaleRecord
from gonogo.records.contract import ContractReport
from gonogo.records.findings import AcceptedFinding, AcceptedFindings, accepted_in
from gonogo.records.provenance import provenance, reward_hash
from gonogo.records.record import Verdict
from gonogo.records.terminal import Terminal


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
    Env.of(run)  # a word about the target comes before one about its statement
    how = f"see gonogo theme {run.target}, or go on --without-theme"
    if not run.words.is_file():
        raise MissingRecord(f"{run.words}: no problem statement there; {how}")
    if missing := read_words(run.words).missing():
        raise RecordError(f"{run.words}: {'; '.join(missing)}; {how}")


def may_go_on(run: RunConfig, reason: str | None, *, keep: bool = True) -> bool:
    """Whether :func:`check_audit` forbids nothing; what it says is printed."""
    try:
        check_audit(run, reason, keep=keep)
    except Forbidden as refusal:
        Terminal(stderr=True).print(str(refusal), markup=False, highlight=False)
        return False
    return True


def check_audit(run: RunConfig, reason: str | None, *, keep: bool = True) -> None:
    """The gate before a training: no audit of the environment as it is now, in the run's folder, forbids it.

    Only an audit of what would pay the training counts. A NO-GO forbids it until each of its findings is accepted with
    a reason, which stands in ``accepted.json`` from then on, and in the records of what follows. What is accepted is
    printed.

    Args:
        run: The config.
        reason: Why the author goes on with all findings that are not accepted yet; None for no reason.
        keep: Whether the reason is written down; a dry run writes nothing.

    Raises:
        Forbidden: It forbids it.
        Misuse: The reason is an empty text.
    """
    if reason is not None and not reason.strip():
        raise Misuse("a reason stands in every record that follows: an empty text is none")
    record = replacement.standing(run)
    if record is None or record.verdict is not Verdict.NO_GO:
        return
    before = accepted_in(run.out)
    known = {each.finding for each in before}
    found = list(dict.fromkeys(finding.id for finding in record.findings))
    new = [name for name in found if name not in known]
    if new and reason is None:
        raise Forbidden(
            f"NO-GO: the audit in {run.out} found {', '.join(new)}: fix it and audit again, or accept it "
            "with --accept REASON, which every later record holds"
        )
    now = (*before, *(AcceptedFinding(finding=name, reason=reason or "") for name in new))
    if new and keep:
        AcceptedFindings(accepted=now, **provenance()).save(run.out)
    said = "; ".join(f"{each.finding}: {each.reason}" for each in now if each.finding in found)
    Terminal(stderr=True).print(
        f"The audit is NO-GO, and accepted ({said})", markup=False, highlight=False
    )


def ensure_map(run: RunConfig) -> None:
    """Map the target unless the run's folder holds a map of it as it is now; its verdict stops nothing here."""
    if (stale := why_map(run)) is not None:
        first("map", stale)
        map_station.run(run)


def why_map(run: RunConfig) -> str | None:
    """Why the run's map cannot be relied on, or None where it can."""
    source = Env.of(run).source
    try:
        record = ContractReport.load(run.out, source)
    except (MissingRecord, StaleRecord) as error:
        return str(error)
    now = {
        "target": run.target,
        "seed": run.seed,
        "config": run.model_dump(mode="json", include={"rollout", "map"}),
        "reward_hash": reward_hash(run.reward),
    }
    changed = [name for name, value in now.items() if getattr(record, name) != value]
    if record.packages.get("gonogo") != provenance()["packages"].get("gonogo"):
        changed.append("version of gonogo")
    return f"{ContractReport.path(run.out)} is of another {', '.join(changed)}" if changed else None


def first(station: str, why: str) -> None:
    """Say which station runs first, and why."""
    Terminal(stderr=True).print(f"{station} first: {why}", markup=False, highlight=False)
