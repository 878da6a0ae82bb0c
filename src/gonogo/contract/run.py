"""The map station: what an environment is, and whether it keeps its contract.

It leaves ``map.json``, ``map.md`` and ``map_witnesses.jsonl``, the flights that prove a broken contract, for
``gonogo replay``. Reading source is welcome, running the environment decides: every item of the contract rests on
flights, in two processes where the target allows it. GO needs a contract that holds
and a card without gaps; a proven failure is NO-GO; what could not be seen or flown is HOLD, and named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from gonogo.config import RunConfig
from gonogo.contract.card import (
    limit_of_turns,
    observation_fields,
    reset_part,
    reward_part,
    state_fields,
    step_part,
    tasks_part,
    terminal_part,
    unknown,
)
from gonogo.contract.checks import fly_tasks
from gonogo.contract.items import CHECKS, worst
from gonogo.contract.packaging import (
    check_client,
    declared_range,
    manifest_of,
    read_packaging,
)
from gonogo.contract.page import markdown, print_map
from gonogo.contract.processes import ProcessPair
from gonogo.contract.provocations import check_task_api, check_tools
from gonogo.contract.seeds import seed_use
from gonogo.contract.source import Source, read_source
from gonogo.contract.tasks import discover
from gonogo.contract.view import model_part
from gonogo.contract.witnesses import WITNESSES, findings
from gonogo.env.environment import Env
from gonogo.env.target import FolderTarget, Target
from gonogo.errors import EnvironmentFailure, TargetError
from gonogo.records.contract import ActionInterface, ContractItem, ContractReport
from gonogo.records.files import MOST_NAMED, write_text
from gonogo.records.inspection import CodePlace, Description
from gonogo.records.provenance import SourceHash, provenance
from gonogo.records.record import Verdict
from gonogo.records.terminal import Terminal
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import Space

__all__ = ["run"]

PAGE = "map.md"


def run(run: RunConfig) -> Verdict:
    """The verdict of :func:`check_env`."""
    return check_env(run, Env.of(run)).verdict


def check_env(run: RunConfig, env: Env) -> ContractReport:
    """Map the target, write the record and the page, print both tables.

    Args:
        run: The config; its ``map`` says how much is flown.
        env: The environment; it is flown in processes of the map's own.

    Returns:
        The record; it is GO where the card has no gap and the contract holds, NO-GO where an item of the contract
        fails, HOLD where something could not be seen or flown.

    Raises:
        TargetError: There is no environment at the target.
        EnvironmentFailure: It could not be started, or a server has no session left.
    """
    _ = env.source  # as it is before anything flies
    with closing(ProcessPair(env)) as pair:
        report, proofs = describe(run, env, pair)
        cut_off = pair.cut_off
    if cut_off and report.verdict is Verdict.NO_GO:
        try:
            report, proofs = once_more(run, env, report.reason)
        except (EnvironmentFailure, TargetError) as gone:
            # Then the flight that it ended in is the last word.
            report = noting(
                report, f"the server has not come back; if you ended it, map again: {gone}"
            )
    report.save(run.out)
    write_text(run.out / WITNESSES, "".join(f"{proof.to_json()}\n" for proof in proofs))
    write_text(run.out / PAGE, markdown(report))
    print_map(report, Terminal())
    return ContractReport.load(
        run.out
    )  # with what was found of the source's data when it was written


def noting(report: ContractReport, note: str) -> ContractReport:
    """A map with one note more."""
    return report.model_copy(update={"notes": (*report.notes, note)})


def once_more(run: RunConfig, env: Env, why: str) -> tuple[ContractReport, list[Episode]]:
    """The map of a server whose socket broke, made again: what is the environment's doing comes back.

    Args:
        run: The config.
        env: The server.
        why: What failed the first time.

    Raises:
        EnvironmentFailure: The server has not come back.
        TargetError: Nothing answers where it was.
    """
    with closing(ProcessPair(env)) as pair:
        report, proofs = describe(run, env, pair)
    said = "the server's socket broke, so that it was mapped twice; the first time"
    return noting(report, f"{said}: {why}"), proofs


def describe(run: RunConfig, env: Env, pair: ProcessPair) -> tuple[ContractReport, list[Episode]]:
    """The map, and the episodes that prove its findings."""
    target, described = env.target, pair.describe()
    manifest = manifest_of(target)
    found = discover(described, manifest, run.map.reset, run.map.tasks)
    source = find_source(target, described)
    space = Space(pair.first.schemas.action, described.tools)
    seed = seed_use(described, source, len(found.tasks))
    gathered = fly_tasks(run, pair, described, found, space, declared_range(manifest), seed)
    server_file = source.name_of(described.code.environment.file if described.code else None)
    items = [
        *gathered.items,
        check_client(target, server_file, run.rollout.startup_s),
        check_tools(described.tools),
        *check_task_api(pair.first, described),
    ]
    checked = tuple(item.checked for item in items)
    traces = [trace for flown in gathered.traces.values() for trace in flown]
    terminal = terminal_part(source, traces, limit_of_turns(run, traces, gathered.sought))
    reward = reward_part(described, source, traces, declared_range(manifest))
    gaps = tuple(unknown(target, terminal, reward, source, found))
    verdict, reason = judge(checked, gaps)
    broken, proofs = findings(run, items)
    schemas = pair.first.schemas
    return ContractReport(
        target=run.target,
        environment=env.name,
        source_hash=env.source,
        reward_hash=env.reward_hash,
        seed=run.seed,
        verdict=verdict,
        reason=reason,
        metadata=described.metadata,
        reset=reset_part(described, source, traces),
        step=step_part(described, source, traces),
        action=ActionInterface(fields=tuple(space.describe()), tools=described.tools),
        observation=observation_fields(schemas.observation, traces),
        state=state_fields(schemas.state, traces),
        model=model_part(schemas.codec(), traces),
        terminal=terminal,
        reward=reward,
        tasks=tasks_part(described, found),
        manifest=manifest or None,
        packaging=read_packaging(target),
        unknown=gaps,
        contract=tuple(worst(checked)),
        items=checked,
        findings=broken,
        volatile=tuple(gathered.volatile),
        notes=(*found.notes, *gathered.notes, *pair.notes, *source_notes(env.source)),
        config=run.model_dump(mode="json", include={"rollout", "map"}),
        **provenance(),
    ), proofs


def judge(items: Sequence[ContractItem], unknown: Sequence[str]) -> tuple[Verdict, str]:
    """The verdict and its reason.

    Args:
        items: The contract's.
        unknown: What of the card is not known, as sentences.
    """
    failing = [item for item in worst(items) if item.verdict == "fail"]
    if failing:
        said = "; ".join(f"not so that {CHECKS[item.id]}: {item.said}" for item in failing[:3])
        more = f"; and {len(failing) - 3} more" if len(failing) > 3 else ""
        return Verdict.NO_GO, f"{said}{more}"
    grounded = [item.said for item in items if item.id == "episode" and item.verdict == "na"]
    flown = any(item.id == "episode" and item.verdict == "pass" for item in items)
    unclear = [item.said for item in items if item.evidence.unclear]
    missing = [*unknown, *unclear, *([] if flown else grounded or ["no episode could be flown"])]
    if missing:
        return Verdict.HOLD, f"what was seen holds; not known: {'; '.join(missing)}"
    return Verdict.GO, "the card has no gap and the contract holds"


def source_notes(made_of: str | None) -> Iterator[str]:
    """What of the folder is no part of the environment's source, and why."""
    if not isinstance(made_of, SourceHash):
        return
    if made_of.left_out is not None:
        yield made_of.left_out
    if changed := made_of.changed():
        more = f" and {len(changed) - MOST_NAMED} more" if len(changed) > MOST_NAMED else ""
        named = f"{', '.join(changed[:MOST_NAMED])}{more}"
        yield f"changed while it ran, and so no part of its source: {named}"


def find_source(target: Target, described: Description) -> Source:
    """The environment's source, its own class's file first; empty over a URL."""
    code = described.code
    places: list[CodePlace] = []
    if code is not None:
        places = [code.environment, code.reset, code.step, code.action, code.observation]
        places += code.environment.classes
    files = [Path(place.file) for place in places if place.file]
    if isinstance(target, FolderTarget):
        return read_source(target.folder, [f for f in files if f.is_relative_to(target.folder)])
    return read_source(None, files)
