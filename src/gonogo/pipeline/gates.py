"""What has to be so before a command begins: the problem statement, the audit, the map."""

from __future__ import annotations

import gonogo.contract.check_env as map_station
from gonogo.auditing import replacement
from gonogo.config import RunConfig, read_words
from gonogo.env.acceptance import acceptances, asked
from gonogo.env.environment import Env
from gonogo.errors import Forbidden, MissingRecord, Misuse, RecordError, StaleRecord
from gonogo.records.contract import ContractReport
from gonogo.records.findings import accepted_of
from gonogo.records.provenance import provenance, reward_hash
from gonogo.records.record import Verdict
from gonogo.records.terminal import Terminal
from gonogo.rollouts.watch import Watch
from gonogo.wire import JsonObject


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
    a reason, which stands in ``gonogo.yaml`` beside the environment, and in the records of what follows. What is
    accepted is printed.

    Args:
        run: The config.
        reason: Why the author goes on with all findings that are not accepted yet, or, as ``FINDING=REASON``, with one;
            None for no reason.
        keep: Whether the reason is written down; a dry run writes nothing.

    Raises:
        Forbidden: It forbids it.
        Misuse: The reason is an empty text, or ``gonogo.yaml`` breaks a rule.
    """
    named, why = (None, None) if reason is None else asked(reason)
    record = replacement.standing(run)
    if record is None:
        return
    known = acceptances(Env.of(run).target)
    found = dict.fromkeys(f.id for f in record.findings if f.blocks and named in {None, f.id})
    if why is not None and found:
        known = known.plus([known.entry(name, why) for name in found], keep=keep)
        record = record.accepting(known.reason)
    if record.verdict is Verdict.NO_GO:
        left = dict.fromkeys(f.id for f in record.findings if f.blocks)
        raise Forbidden(
            f"NO-GO: the audit in {run.out} found {', '.join(left)}: fix it and audit again, or accept it "
            f"with --accept REASON, which goes into {known.file} and which every later record holds"
        )
    if said := accepted_of(record.findings):
        line = f"Accepted by {known.file}: {said}"
        Terminal(stderr=True).print(line, markup=False, highlight=False)


def accept_named(run: RunConfig, given: str) -> None:
    """Write one finding that is accepted into ``gonogo.yaml``, unless it is accepted there with that reason.

    Args:
        run: The config.
        given: ``FINDING=REASON``.

    Raises:
        Misuse: It names no finding, or gives no reason; or the file breaks a rule or cannot be written.
        TargetError: There is no environment at the target.
    """
    name, why = asked(given)
    if name is None:
        raise Misuse(
            f"--accept: say which finding is accepted, as FINDING=REASON, not {given!r:.80}"
        )
    known = acceptances(Env.of(run).target)
    entry = known.entry(name, why)
    if entry not in known.entries:
        known.plus([entry])
        line = f"accepted in {known.file}: {name}"
        Terminal(stderr=True).print(line, markup=False, highlight=False)


def map_may_go_on(run: RunConfig) -> bool:
    """Whether all that the run's map found wrong is accepted."""
    env = Env.of(run)
    record = ContractReport.load(run.out, env.source)
    return map_station.accepting(record, acceptances(env.target)).verdict is not Verdict.NO_GO


def ensure_map(run: RunConfig, watch: Watch | None = None) -> None:
    """Map the target unless the run's folder holds a map of it as it is now; its verdict stops nothing here.

    Args:
        run: The config.
        watch: When the map is to end; None for the end that ``map.minutes`` sets.
    """
    if (stale := why_map(run)) is not None:
        first("map", stale)
        map_station.run(run, watch)


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
        "config": mapped_by(run.model_dump(mode="json", include={"rollout", "map"})),
        "reward_hash": reward_hash(run.reward),
    }
    stands = {name: getattr(record, name) for name in now} | {"config": mapped_by(record.config)}
    changed = [name for name, value in now.items() if stands[name] != value]
    if record.packages.get("gonogo") != provenance()["packages"].get("gonogo"):
        changed.append("version of gonogo")
    return f"{ContractReport.path(run.out)} is of another {', '.join(changed)}" if changed else None


def mapped_by(config: JsonObject) -> JsonObject:
    """What a map depends on of a config; the time that it may take only ends it."""
    mapped = config.get("map")
    kept = {k: v for k, v in mapped.items() if k != "minutes"} if isinstance(mapped, dict) else {}
    return {**config, "map": kept}


def first(station: str, why: str) -> None:
    """Say which station runs first, and why."""
    Terminal(stderr=True).print(f"{station} first: {why}", markup=False, highlight=False)
