"""Everything that the page shows, read from a run's folder and refused where it cannot be relied on."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from gonogo.config import EvaluationConfig
from gonogo.errors import MissingRecord, StaleRecord
from gonogo.records import stations as board
from gonogo.records.base import read_lines
from gonogo.report.agree import (
    check_audit,
    check_evaluation,
    check_map,
    check_one_environment,
    check_train,
)
from gonogo.report.shapes import check_shape
from gonogo.rollout.episodes import Episode, read_episodes
from gonogo.rollout.log import folder_of, key_of

__all__ = ["STATIONS", "RunContents", "gather", "missing_record"]

Json = dict[str, Any]

STATIONS = {name: station.record for name, station in board.STATIONS.items() if name != "report"}
"""Records on the board, in the order of the poll."""
WANTED = ("map", "audit", "train", "evaluate")
"""Those without which the report is not whole."""
TRAINING_LOG, WITNESSES, FLOWN = "training.jsonl", "witnesses.jsonl", "evaluation"


@dataclass(slots=True)
class RunContents:
    """What a run's folder holds.

    Attributes:
        run: The folder.
        records: By station, those that are there.
        episodes: Of the evaluation, by policy, in the order of the tasks; empty where they are not there.
        training: Rows of the training's log.
        witnesses: Episodes that prove the audit's own findings.
        missing: What is not there and should be, in words.
    """

    run: Path
    records: dict[str, Json]
    episodes: dict[str, list[Episode]] = field(default_factory=dict)
    training: list[Json] = field(default_factory=list)
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
    paths = {station: shared.path(run) for station, shared in STATIONS.items()}
    found = RunContents(
        run, {name: STATIONS[name].read(run) for name, path in paths.items() if path.is_file()}
    )
    if not found.records:
        raise MissingRecord(f"{run}: none of {', '.join(p.name for p in paths.values())} there")
    for station, record in found.records.items():
        check_shape(station, paths[station], record)
    check_one_environment(paths, found.records)
    found.missing = [missing_record(name) for name in WANTED if name not in found.records]
    if "map" in found.records:
        check_map(paths["map"], found.records["map"])
    if "audit" in found.records:
        found.witnesses = episodes_of_audit(found, paths["audit"])
    found.training = training_of(found, paths["train"])
    if "evaluate" in found.records:
        found.episodes = episodes_of_evaluation(found, paths["evaluate"])
    return found


def missing_record(station: str) -> str:
    """A record that is not there, in words: its file, and the command that writes it."""
    return f"{STATIONS[station].path(Path()).name} (gonogo {station})"


def episodes_of_audit(found: RunContents, path: Path) -> list[Episode]:
    """The audit's witnesses, held against its record."""
    record, file = found.records["audit"], found.run / WITNESSES
    if not file.is_file():
        if any("plan" in finding["witness"] for finding in record["findings"]):
            found.missing.append(f"{WITNESSES} (gonogo audit)")
        return []
    witnesses = list(read_episodes(file))
    check_audit(path, record, witnesses)
    return witnesses


def training_of(found: RunContents, path: Path) -> list[Json]:
    """The training's log, held against its record where there is one."""
    file = found.run / TRAINING_LOG
    rows = list(read_lines(file)) if file.is_file() else []
    if "train" in found.records:
        check_train(path, found.records["train"], rows)
        if not rows:
            found.missing.append(f"{TRAINING_LOG} (gonogo train)")
    return rows


def episodes_of_evaluation(found: RunContents, path: Path) -> dict[str, list[Episode]]:
    """The episodes behind an evaluation, held against its record; empty where those of a policy are not there."""
    record = found.records["evaluate"]
    folders = {name: found.run / FLOWN / folder_of(name) for name in record["policies"]}
    files = {name: sorted(folder.glob("*.jsonl")) for name, folder in folders.items()}
    absent = [name for name, present in files.items() if len(present) != 1]
    if absent:
        found.missing.append(
            f"one file of episodes in each of {FLOWN}/{{{','.join(absent)}}} (gonogo evaluate)"
        )
        return {}
    episodes = {name: in_order(record, name, present[0]) for name, present in files.items()}
    check_evaluation(path, record, episodes)
    shown = record["shown_task"]
    if shown is not None and not 0 <= shown < record["episodes"]:
        raise StaleRecord(
            f"{path}: shown_task must be from 0 to {record['episodes'] - 1}, not {shown}"
        )
    return episodes


def in_order(record: Json, name: str, file: Path) -> list[Episode]:
    """A policy's episodes, one a task of the evaluation."""
    try:
        tasks = EvaluationConfig.model_validate_json(
            json.dumps(record["config"]["evaluation"])
        ).tasks()
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(["config.evaluation", *map(str, first["loc"])])
        raise StaleRecord(f"{record['schema']}: {place}: {first['msg']}") from error
    flown = {key_of(episode.task): episode for episode in read_episodes(file)}
    lost = [task for task in tasks if key_of(task) not in flown]
    if lost:
        raise StaleRecord(f"{file}: policies.{name}: no episode of task {lost[0]}")
    ordered = [flown[key_of(task)] for task in tasks]
    for index, episode in enumerate(ordered):
        episode.index = index
    return ordered
