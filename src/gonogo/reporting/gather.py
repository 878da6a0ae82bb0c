"""Everything that the page shows, read from a run's folder and refused where it cannot be relied on."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from gonogo.config import EvaluationConfig
from gonogo.errors import MissingRecord, StaleRecord
from gonogo.records import stations as board
from gonogo.records.audit import AuditReport
from gonogo.records.contract import ContractReport
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.files import schema_name
from gonogo.records.probe import ProbeReport
from gonogo.records.record import VerdictRecord
from gonogo.records.reward import RewardReport
from gonogo.records.submission import CheckReport, GradeReport, ThemeReport
from gonogo.records.training import TrainingReport, TrainingRow
from gonogo.reporting.agree import (
    check_audit,
    check_evaluation,
    check_map,
    check_one_environment,
    check_train,
)
from gonogo.rollouts.episodes import Episode, read_episodes
from gonogo.rollouts.log import folder_of, key_of

__all__ = ["STATIONS", "RunContents", "StationRecords", "gather", "missing_record"]

STATIONS = {name: station.record for name, station in board.STATIONS.items() if name != "report"}
"""Records on the board, in the order of the poll."""
WANTED = ("map", "audit", "train", "evaluate")
"""Those without which the report is not whole."""
WITNESSES, FLOWN = "witnesses.jsonl", "evaluation"


@dataclass(frozen=True, slots=True)
class StationRecords:
    """A run's records; None for one that is not there."""

    map: ContractReport | None = None
    theme: ThemeReport | None = None
    audit: AuditReport | None = None
    grade: GradeReport | None = None
    reward: RewardReport | None = None
    probe: ProbeReport | None = None
    train: TrainingReport | None = None
    evaluation: EvaluationReport | None = None
    check: CheckReport | None = None

    @property
    def by_station(self) -> dict[str, VerdictRecord]:
        """Those that are there, in the order of the poll."""
        found = (getattr(self, each.name) for each in fields(self))
        return {record.station: record for record in found if record is not None}


RecordT = TypeVar("RecordT", bound=VerdictRecord)


def there(kind: type[RecordT], run: Path) -> RecordT | None:
    """A run's record of a kind; None where it is not there."""
    return kind.load(run) if kind.path(run).is_file() else None


@dataclass(slots=True)
class RunContents:
    """What a run's folder holds.

    Attributes:
        run: The folder.
        records: Those that are there.
        episodes: Of the evaluation, by policy, in the order of the tasks; empty where they are not there.
        training: Rows of the training's log.
        witnesses: Episodes that prove the audit's own findings.
        missing: What is not there and should be, in words.
    """

    run: Path
    records: StationRecords
    episodes: dict[str, list[Episode]] = field(default_factory=dict)
    training: list[TrainingRow] = field(default_factory=list)
    witnesses: list[Episode] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def gather(run: Path) -> RunContents:
    """Read a run's records, logs and episodes.

    Args:
        run: Its folder.

    Raises:
        MissingRecord: There is no such folder, it holds no record at all, or one cannot be read.
        StaleRecord: One is of another version or another environment, or disagrees with what it was made from; the
            message names the field.
    """
    if not run.is_dir():
        raise MissingRecord(f"{run}: no such folder; give one that gonogo's stations wrote into")
    records = StationRecords(
        map=there(ContractReport, run),
        theme=there(ThemeReport, run),
        audit=there(AuditReport, run),
        grade=there(GradeReport, run),
        reward=there(RewardReport, run),
        probe=there(ProbeReport, run),
        train=there(TrainingReport, run),
        evaluation=there(EvaluationReport, run),
        check=there(CheckReport, run),
    )
    found = RunContents(run, records)
    held = records.by_station
    if not held:
        named = ", ".join(record.path(run).name for record in STATIONS.values())
        raise MissingRecord(f"{run}: none of {named} there")
    check_one_environment(run, held.values())
    found.missing = [missing_record(name) for name in WANTED if name not in held]
    if records.map is not None:
        check_map(records.map.path(run), records.map)
    if records.audit is not None:
        found.witnesses = episodes_of_audit(found, records.audit)
    found.training = training_of(found)
    if records.evaluation is not None:
        found.episodes = episodes_of_evaluation(found, records.evaluation)
    return found


def missing_record(station: str) -> str:
    """A record that is not there, in words: its file, and the command that writes it."""
    return f"{STATIONS[station].path(Path()).name} (gonogo {station})"


def episodes_of_audit(found: RunContents, record: AuditReport) -> list[Episode]:
    """The audit's witnesses, held against its record."""
    file = found.run / WITNESSES
    if not file.is_file():
        if any(finding.plan is not None for finding in record.findings):
            found.missing.append(f"{WITNESSES} (gonogo audit)")
        return []
    witnesses = list(read_episodes(file))
    check_audit(record.path(found.run), record, witnesses)
    return witnesses


def training_of(found: RunContents) -> list[TrainingRow]:
    """The training's log, held against its record where there is one."""
    rows = TrainingRow.log(found.run)
    if (record := found.records.train) is not None:
        check_train(record.path(found.run), record, rows)
        if not rows:
            found.missing.append(f"{TrainingRow.path(Path())} (gonogo train)")
    return rows


def episodes_of_evaluation(
    found: RunContents, record: EvaluationReport
) -> dict[str, list[Episode]]:
    """The episodes behind an evaluation, held against its record; empty where those of a policy are not there."""
    folders = {name: found.run / FLOWN / folder_of(name) for name in record.policies}
    files = {name: sorted(folder.glob("*.jsonl")) for name, folder in folders.items()}
    absent = [name for name, present in files.items() if len(present) != 1]
    if absent:
        found.missing.append(
            f"one file of episodes in each of {FLOWN}/{{{','.join(absent)}}} (gonogo evaluate)"
        )
        return {}
    episodes = {name: in_order(record, name, present[0]) for name, present in files.items()}
    path = record.path(found.run)
    check_evaluation(path, record, episodes)
    shown = record.shown_task
    if shown is not None and not 0 <= shown < record.episodes:
        raise StaleRecord(
            f"{path}: shown_task must be from 0 to {record.episodes - 1}, not {shown}"
        )
    return episodes


def in_order(record: EvaluationReport, name: str, file: Path) -> list[Episode]:
    """A policy's episodes, one a task of the evaluation."""
    try:
        tasks = EvaluationConfig.model_validate_json(
            json.dumps(record.config["evaluation"])
        ).tasks()
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(["config.evaluation", *map(str, first["loc"])])
        raise StaleRecord(
            f"{schema_name(record.kind, record.version)}: {place}: {first['msg']}"
        ) from error
    flown = {key_of(episode.task): episode for episode in read_episodes(file)}
    lost = [task for task in tasks if key_of(task) not in flown]
    if lost:
        raise StaleRecord(f"{file}: policies.{name}: no episode of task {lost[0]}")
    ordered = [flown[key_of(task)] for task in tasks]
    for index, episode in enumerate(ordered):
        episode.index = index
    return ordered
