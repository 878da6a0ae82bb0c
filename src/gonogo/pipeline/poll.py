"""The poll: every station asked, one board, what to do next.

Stations that cost little are run: map, audit and grade where the run has no record of the environment as it is now;
theme, report and check always, for what they answer also depends on what their author writes. Those that train, spend
or write a reward are only read: whether to call them is the author's decision. The board goes as far as it can: what
a station lacks stands in its row. What the stations print goes into ``poll.log`` of the run's folder, so that the board
stands alone.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout

import gonogo.contract.check_env as map_station
import gonogo.reporting.report as report_station
import gonogo.submission.check.checklist as check_station
import gonogo.submission.grade.report as grade_station
import gonogo.submission.theme.report as theme_station
from gonogo.config import RunConfig, options_of
from gonogo.env.acceptance import acceptances
from gonogo.env.environment import Env
from gonogo.env.target import source_of_all
from gonogo.errors import GonogoError, MissingRecord, StaleRecord, TargetError
from gonogo.pipeline import audit as audit_command
from gonogo.pipeline import gates as gates_command
from gonogo.records.audit import AuditReport
from gonogo.records.contract import ContractReport
from gonogo.records.provenance import provenance
from gonogo.records.record import Verdict
from gonogo.records.stations import STATIONS, BoardRow, PollReport, Station

LOG = "poll.log"
"""File in a run's folder of what the stations print."""
ALWAYS = ("theme", "report", "check")
"""Stations that are called also where they have left a record."""
FLOWN = ("seed", "rollout.success", "rollout.timeout_s", "rollout.startup_s", "rollout.env")
AUDITED = (
    *FLOWN, "map.reset", "audit.reference", "audit.minutes", "audit.budget", "audit.seeds"
)  # fmt: skip
TAKES = {
    "map": (*FLOWN, "map.reset", "map.steps"),
    "theme": FLOWN,
    "audit": AUDITED,
    "grade": ("seed", "rollout.env"),
    "reward": AUDITED,
    "probe": ("seed", "rollout.success", "rollout.env"),
    "train": ("seed", "rollout.success", "rollout.env"),
    "check": ("seed", "rollout.env"),
}
"""What each station can be told of how the run's environment is flown; those that are not here, nothing."""
COMMANDS = {
    "theme": "fill in {words}, then gonogo theme {target} --out {out}{flags}",
    "probe": "gonogo probe {target} --out {out}{flags} --model NAME=WHERE",
    "train": "gonogo plan {target} --out {out}{flags} --file FILE, then gonogo train --config FILE",
    "evaluate": "gonogo evaluate --config FILE",
    "report": "gonogo report {out}",
}
"""What is called next, where it is more than the station, the target and the folder."""


def poll(run: RunConfig, *, only_read: bool = False) -> PollReport:
    """Ask all stations, and leave ``poll.json``.

    Args:
        run: The config; its ``out`` holds the records.
        only_read: Whether no station is run, only records are read.

    Returns:
        Its verdict is NO_GO where a station's is, else HOLD where one's is or one was not asked, else GO.

    Raises:
        TargetError: There is no environment at the target.
    """
    source = Env.of(run).source
    cheap = {} if only_read else running(run)
    order = dict.fromkeys([*cheap, *STATIONS])
    asked = {name: ask(run, STATIONS[name], cheap.get(name)) for name in order}
    rows = [asked[name] for name in STATIONS]
    verdict = worst(rows)
    report = PollReport(
        target=run.target, source_hash=source, verdict=verdict, board=tuple(rows), **provenance()
    )
    report.save(run.out)
    return report


def running(run: RunConfig) -> dict[str, Callable[[], object]]:
    """The stations that cost little, each after those whose records it also reads; the check without its long boxes."""
    quick = run.model_copy(update={"check": run.check.model_copy(update={"quick": True})})
    return {
        "map": lambda: map_station.run(run),
        "audit": lambda: audit_command.audit(run),
        "theme": lambda: theme_station.run(run),
        "grade": lambda: grade_station.run(run),
        "check": lambda: check_station.run(quick),
        "report": lambda: report_station.run(run.out),
    }


def ask(run: RunConfig, station: Station, call: Callable[[], object] | None) -> BoardRow:
    """A station's row, from its record; it is called before where there is none that can be relied on, or always."""
    answer: object = None
    if call is not None and (station.name in ALWAYS or absence(run, station) is not None):
        try:
            run.out.mkdir(parents=True, exist_ok=True)
            with (run.out / LOG).open("a", encoding="utf-8") as log, redirect_stdout(log):
                answer = call()
        except TargetError:
            raise
        except GonogoError as error:
            return row_of(run, station, None, str(error))
    if (why := absence(run, station)) is not None:
        if isinstance(answer, Verdict):  # it could tell without going as far as a record
            said = f"{why}, for what gonogo {station.name} shows"
            return row_of(run, station, answer, said)
        first = [lack.partition("; see ")[0] for lack in lacks(run, station.name)]
        return row_of(run, station, None, f"{why}; before it: {'; '.join(first)}" if first else why)
    record = station.record.load(run.out)
    if isinstance(record, ContractReport | AuditReport):
        try:
            record = accepting(run, record)
        except GonogoError as error:
            return row_of(run, station, None, str(error))
    if isinstance(record, AuditReport):
        timed = run if record.needed is None else lasting(run, record.needed)
        return row_of(
            timed, station, record.verdict, record.said, subject_of(record), success_of(run, record)
        )
    return row_of(run, station, record.verdict, record.said)


def accepting(run: RunConfig, record: ContractReport | AuditReport) -> ContractReport | AuditReport:
    """A map or an audit with what the environment's author accepts by now, and the verdict that follows."""
    known = acceptances(Env.of(run).target)
    if isinstance(record, AuditReport):
        return record.accepting(known.reason)
    return map_station.accepting(record, known)


def absence(run: RunConfig, station: Station) -> str | None:
    """Why a station's record cannot be relied on, or None where it can."""
    targets = run.targets if station is STATIONS["train"] else [run.target]
    try:
        station.record.load(run.out, source_of_all(targets))
    except MissingRecord:
        return f"no {station.record.path(run.out).name} in this run"
    except StaleRecord as error:
        return str(error)
    return None


def subject_of(record: AuditReport) -> list[str]:
    """What an audit was about beside the environment, as the words that make another one be about the same."""
    by = record.made_by
    about: dict[str, list[str | None]] = {
        "--reward": [by.reward],
        "--rewards": [*by.audit.rewards],
        "--policy": [by.audit.policy],
    }
    return [
        word
        for option, values in about.items()
        for value in values
        if value is not None
        for word in (option, value)
    ]


def lasting(run: RunConfig, minutes: int) -> RunConfig:
    """The run with as many minutes for its audit, or more, in place of what it had."""
    longer = max(run.audit.minutes, float(minutes))
    audit = run.audit.model_copy(update={"minutes": longer, "budget": None})
    return run.model_copy(update={"audit": audit})


def success_of(run: RunConfig, record: AuditReport) -> list[str]:
    """The success that an audit assumed or proposed, as the words that say it; empty where success was known."""
    said = record.proposed if run.rollout.success is None else None
    return [] if said is None else ["--success", said]


def row_of(
    run: RunConfig,
    station: Station,
    verdict: Verdict | None,
    said: str,
    about: Sequence[str] = (),
    success: Sequence[str] = (),
) -> BoardRow:
    """A row, with what to do next unless it is GO, with all that the run was told about how it is flown.

    A GO under an assumed success has a next command, too: the one that says that it is success.
    """
    command = COMMANDS.get(station.name, "gonogo {name} {target} --out {out}{flags}")
    flags = [
        *options_of(run, TAKES.get(station.name, ()), file=station.name != "train"),
        *about,
        *success,
    ]
    names = {"target": run.target, "out": str(run.out), "words": str(run.words)}
    quoted = {name: shlex.quote(value) for name, value in names.items()}
    following = (
        None
        if verdict is Verdict.GO and not success
        else command.format(
            name=station.name, flags="".join(f" {shlex.quote(word)}" for word in flags), **quoted
        )
    )
    if verdict is Verdict.NO_GO:
        following = f"mend what it says, then {following}"
    return BoardRow(
        station=station.name,
        asks=station.asks,
        verdict=verdict,
        said=" ".join(said.split()),
        next=following,
    )


def worst(rows: list[BoardRow]) -> Verdict:
    """The verdict over all rows; a station that was not asked cannot tell."""
    verdicts = [Verdict.HOLD if row.verdict is None else row.verdict for row in rows]
    return Verdict.worst(verdicts)


def lacks(run: RunConfig, name: str) -> list[str]:
    """What a station needs and the run has not, in words; empty where it may be called.

    Args:
        run: The config.
        name: The station.

    Raises:
        TargetError: There is no environment at the target.
    """
    station = STATIONS[name]
    found = [absence(run, STATIONS[needed]) for needed in station.needs]
    missing = [why for why in found if why is not None]
    if station.statement:
        try:
            gates_command.check_statement(run)
        except GonogoError as error:
            missing.append(str(error))
    return missing
