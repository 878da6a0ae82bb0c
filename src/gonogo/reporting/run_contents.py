"""Everything that the page shows, read from a run's folder and refused where it cannot be relied on.

A record carries no seal, so that what was edited by hand is found by computing it again: an evaluation's numbers from
its episodes, bit for bit but for the rounding of another machine; verdicts from what they follow from; an audit's
witnesses from the episodes that prove them. What does not agree is named by its field.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from gonogo.config import EvaluationConfig
from gonogo.contract.check_env import accepting
from gonogo.env.acceptance import acceptances
from gonogo.errors import MissingRecord, StaleRecord, TargetError
from gonogo.evaluation.evaluate import recorded_section
from gonogo.evaluation.held_out import held_out_criterion
from gonogo.evaluation.verdict import WORDING, conclude, criteria_of, models_wanted
from gonogo.records import stations as board
from gonogo.records.audit import AuditReport
from gonogo.records.contract import ContractReport
from gonogo.records.evaluation import Criterion, EvaluationReport
from gonogo.records.files import schema_name, source_in
from gonogo.records.findings import ContractWitness
from gonogo.records.probe import ProbeReport
from gonogo.records.provenance import source_hash
from gonogo.records.record import Verdict, VerdictRecord
from gonogo.records.reward import RewardReport
from gonogo.records.submission import CheckReport, GradeReport, ThemeReport
from gonogo.records.tables import cut
from gonogo.records.training import TrainingReport, TrainingRow
from gonogo.rollouts.episodes import Episode, read_episodes
from gonogo.rollouts.log import folder_of, key_of
from gonogo.rollouts.summary import summarize

STATIONS = {name: station.record for name, station in board.STATIONS.items() if name != "report"}
"""Records on the board, in the order of the poll."""
WANTED = ("map", "audit", "train", "evaluate")
"""Those without which the report is not whole."""
WITNESSES, FLOWN = "witnesses.jsonl", "evaluation"
CLOSE, MOST_CHARS = 1e-9, 80
"""Relative difference that another machine's rounding may make; length of a value in a message."""
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
VALIDATION = "validation/score"
SPOKEN = 0.0011
"""Difference that rounding makes where numbers are said to three places."""


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

    @property
    def accepting(self) -> StationRecords:
        """The same with what the environment's author accepts by now; as they are where it is not there any more.

        Raises:
            ConfigError: What says what is accepted breaks a rule.
        """
        about = self.map or self.audit
        if about is None:
            return self
        try:
            known = acceptances(about.target)
        except TargetError:
            return self
        return replace(
            self,
            map=None if self.map is None else accepting(self.map, known),
            audit=None if self.audit is None else self.audit.accepting(known.reason),
        )


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
    said, source = record.config["evaluation"], schema_name(record.kind, record.version)
    tasks = recorded_section(EvaluationConfig, said, "config.evaluation", source).tasks()
    flown = {key_of(episode.task): episode for episode in read_episodes(file)}
    lost = [task for task in tasks if key_of(task) not in flown]
    if lost:
        raise StaleRecord(f"{file}: policies.{name}: no episode of task {lost[0]}")
    ordered = [flown[key_of(task)] for task in tasks]
    for index, episode in enumerate(ordered):
        episode.index = index
    return ordered


def check_one_environment(run: Path, records: Iterable[VerdictRecord]) -> None:
    """All records are about the same source of the same target, and about the target's present one where it is here.

    Raises:
        StaleRecord: One is not.
    """
    first: VerdictRecord | None = None
    for record in records:
        # A training in several environments has one hash for all of them.
        if isinstance(record, TrainingReport) and record.environments:
            continue
        here, source, path = Path(record.target), record.source_hash, record.path(run)
        if source is not None and here.is_dir() and source != source_in(run, source_hash(here)):
            raise StaleRecord(
                f"{path}: source_hash: {here} has changed since; run {record.station} again"
            )
        first = first or record
        known = None not in {source, first.source_hash}
        field = "source_hash" if known else "target"
        now, should = getattr(record, field), getattr(first, field)
        if now != should:
            raise StaleRecord(
                f"{path}: {field} must be that of {first.path(run).name}, {should!r}, "
                f"and is {now!r}: the folder holds records of two environments"
            )


def check_map(path: Path, record: ContractReport) -> None:
    """A map is NO_GO where an item of the contract fails and is not accepted, and only there."""
    accepted = {(f.id, repr(f.task)) for f in record.findings if f.accepted is not None}
    meant = {i.id for i in record.items if (i.finding, repr(i.task)) in accepted}
    meant -= {
        i.id
        for i in record.items
        if i.verdict == "fail" and (i.finding, repr(i.task)) not in accepted
    }
    failing = [i.id for i in record.contract if i.verdict == "fail" and i.id not in meant]
    expect_no_go(path, record.verdict, bool(failing), f"the contract's failing items are {failing}")


def check_audit(path: Path, record: AuditReport, witnesses: Sequence[Episode]) -> None:
    """An audit is NO_GO where it has findings that block, and only there; each plan that it found was flown as it says.

    Args:
        path: The record's file.
        record: What it holds.
        witnesses: Episodes of ``witnesses.jsonl``.

    Raises:
        StaleRecord: The verdict does not follow, or a witness is not among the episodes.
    """
    findings = record.findings
    blocking = sum(finding.blocks for finding in findings)
    expect_no_go(path, record.verdict, blocking > 0, f"it has {blocking} findings that block")
    flown = {json.dumps([turn.reward for turn in episode.turns]) for episode in witnesses}
    for number, finding in enumerate(findings):
        seen = finding.witness
        if isinstance(seen, ContractWitness) or seen.plan is None:
            continue  # the map's, whose episodes are of its own
        if json.dumps(seen.rewards) not in flown:
            raise StaleRecord(
                f"{path}: findings[{number}].witness.rewards: no episode of witnesses.jsonl was paid so"
            )
        paid = math.fsum(reward for reward in seen.rewards if reward is not None)
        if not same(paid, seen.total):
            raise StaleRecord(
                f"{path}: findings[{number}].witness.return must be {paid:g}, the sum of its rewards, "
                f"and is {seen.total!r}"
            )


def check_train(path: Path, record: TrainingReport, rows: Sequence[TrainingRow]) -> None:
    """A training is GO where nothing speaks against it, and its phases' scores stand in its log.

    Args:
        path: The record's file.
        record: What it holds.
        rows: Of ``training.jsonl``; empty where there is none.

    Raises:
        StaleRecord: They do not.
    """
    if (record.verdict is Verdict.GO) != (record.reason is None):
        raise StaleRecord(
            f"{path}: verdict is {record.verdict.name} and reason is {record.reason!r}: "
            "a training is GO where there is no reason against it"
        )
    for name, phase in record.phases.trained().items():
        best, step = phase.validation_score, phase.best_step
        logged = [
            row.numbers[VALIDATION]
            for row in rows
            if (row.stage, row.step) == (name, step) and VALIDATION in row.numbers
        ]
        if logged and best is not None and not any(same(best, score) for score in logged):
            raise StaleRecord(
                f"{path}: phases.{name}.validation_score must be {logged[0]}, which training.jsonl has at "
                f"step {step}, and is {best}"
            )


def check_evaluation(
    path: Path, record: EvaluationReport, episodes: Mapping[str, Sequence[Episode]]
) -> None:
    """Every number of an evaluation is what its episodes say, and its verdict follows from them.

    Args:
        path: The record's file.
        record: What it holds.
        episodes: By policy, in the order of the tasks.

    Raises:
        StaleRecord: A field says something else.
    """
    pairs = [(row.baseline, row.candidate) for row in record.comparisons]
    strangers = [name for pair in pairs for name in pair if name not in episodes]
    if strangers:
        raise StaleRecord(f"{path}: comparisons: no policy {strangers[0]!r} was flown")
    again = summarize(episodes, pairs, record.seed)
    written = record.model_dump(mode="json", include={"policies", "comparisons"})
    for name in written["policies"]:
        # What a model's folder hashes to is no matter of its episodes.
        written["policies"][name].pop("model_hash", None)
    recomputed = {
        "policies": {name: each.model_dump(mode="json") for name, each in again.policies.items()},
        "comparisons": [each.model_dump(mode="json") for each in again.comparisons],
    }
    for place, expected in recomputed.items():
        wrong = first_difference(expected, written[place], place)
        if wrong is not None:
            at, *values = wrong
            should, is_now = (cut(json.dumps(value), MOST_CHARS) for value in values)
            raise StaleRecord(
                f"{path}: {at} is {is_now}, and the episodes in evaluation/ say {should}; "
                "run evaluate again"
            )
    check_verdict(path, record)


def check_verdict(path: Path, record: EvaluationReport) -> None:
    """An evaluation's criteria are what its policies say, and its verdict and reason follow from them.

    What was said in other words, by another version, is held against them by its ids and verdicts alone: its numbers
    are those of its policies.

    Raises:
        StaleRecord: A field says something else.
    """
    said = {each.id: each for each in record.criteria}
    worded = record.wording == WORDING
    again = criteria_of(record.policies, record.seed, models_wanted(record.criteria))
    if "held_out" in said:
        again.append(held_out_criterion(record.held_out))
    for expected in again:
        found = said.get(expected.id)
        if (
            found is None
            or found.verdict is not expected.verdict
            or (worded and not alike(found.said, expected.said))
        ):
            is_now, should = (cut(spoken(each), MOST_CHARS) for each in (found, expected))
            raise StaleRecord(
                f"{path}: criteria: {expected.id} is {is_now}, and the policies say {should}; run evaluate again"
            )
    verdict, reason = conclude(record.criteria)
    for name, says, right in (
        ("verdict", record.verdict.name, record.verdict is verdict),
        ("reason", record.reason, not worded or record.reason == reason),
    ):
        if not right:
            raise StaleRecord(
                f"{path}: {name} is {says!r}, and the criteria say {verdict.name}: {reason}"
            )


def spoken(criterion: Criterion | None) -> str:
    """A criterion's verdict and sentence, for a message."""
    return "not there" if criterion is None else f"{criterion.verdict.name}: {criterion.said}"


def alike(one: str, other: str) -> bool:
    """Whether two sentences are the same but for what rounding makes of their numbers."""
    if NUMBER.sub("#", one) != NUMBER.sub("#", other):
        return False
    pairs = zip(NUMBER.findall(one), NUMBER.findall(other), strict=True)
    return all(math.isclose(float(a), float(b), rel_tol=SPOKEN, abs_tol=SPOKEN) for a, b in pairs)


def expect_no_go(path: Path, verdict: Verdict, wanted: bool, why: str) -> None:
    """Refuse a record whose verdict is NO_GO without a reason for it, or is not with one."""
    if (verdict is Verdict.NO_GO) != wanted:
        raise StaleRecord(f"{path}: verdict is {verdict.name}, and {why}")


def first_difference(expected: Any, found: Any, place: str) -> tuple[str, Any, Any] | None:
    """Where two JSON values first differ: the place, what was expected, what was found; None where they do not."""
    if isinstance(expected, dict) and isinstance(found, dict):
        names = list(dict.fromkeys([*expected, *found]))
        pairs = [(f"{place}.{name}", expected.get(name), found.get(name)) for name in names]
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        pairs = [
            (f"{place}[{n}]", a, b) for n, (a, b) in enumerate(zip(expected, found, strict=True))
        ]
    else:
        return None if same(expected, found) else (place, expected, found)
    return next((wrong for at, a, b in pairs if (wrong := first_difference(a, b, at))), None)


def same(expected: Any, found: Any) -> bool:
    """Whether two plain values are the same but for rounding."""
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in (expected, found))
    if numbers:
        return math.isclose(expected, found, rel_tol=CLOSE, abs_tol=CLOSE)
    return type(expected) is type(found) and bool(expected == found)
