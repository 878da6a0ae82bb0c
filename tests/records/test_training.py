"""A training's records are read as they were written, and a field at fault is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.records_made import saved_model, trained_phase, training_report

from gonogo.errors import RecordError, StaleRecord
from gonogo.records.files import append_line
from gonogo.records.record import Verdict
from gonogo.records.training import (
    Alarm,
    FolderManifest,
    ThreadChoice,
    TrainedEnvironment,
    TrainingPhases,
    TrainingProgress,
    TrainingReport,
    TrainingRow,
)

ALARM = Alarm(rule="entropy", stage="all", step=3, reason="it fell")


def test_a_report_is_read_as_it_was_written(tmp_path: Path) -> None:
    flown = {"reward/overall": 0.25}
    report = training_report(
        verdict=Verdict.NO_GO,
        reason="the watch stopped it",
        alarm=ALARM,
        accepted=({"finding": "farmable_cycle", "reason": "meant"},),
        phases=TrainingPhases(sft=trained_phase(alarms=(ALARM,), stopped_by=ALARM)),
        saved=(saved_model(), saved_model(model="models/trained_16bit", reason="another")),
        environments={
            "two": TrainedEnvironment(target="envs/y", source_hash="ab", validation=flown)
        },
    )
    report.save(tmp_path)
    loaded = TrainingReport.load(tmp_path)
    assert loaded == report and loaded.digest() == report.digest()


def test_a_report_of_one_environment_names_none_and_of_one_phase_no_other(tmp_path: Path) -> None:
    training_report().save(tmp_path)
    body = json.loads(TrainingReport.path(tmp_path).read_text())
    assert "environments" not in body and list(body["phases"]) == ["untrained", "grpo"]
    assert body["alarm"] is None and body["phases"]["grpo"]["stopped_by"] is None


def test_the_evidence_of_a_training_is_its_reason_or_its_phases() -> None:
    assert training_report().said.startswith("grpo: the saved model reloads")
    assert training_report(verdict=Verdict.NO_GO, reason="gone").said == "gone"


def test_what_an_earlier_version_did_not_count_is_none(tmp_path: Path) -> None:
    training_report().save(tmp_path)
    file = TrainingReport.path(tmp_path)
    body: dict[str, Any] = json.loads(file.read_text())
    del body["lost_traces"], body["accepted"], body["phases"]["grpo"]["lost"]
    file.write_text(json.dumps(body))
    assert TrainingReport.load(tmp_path) == training_report(created=body["created"])
    del body["phases"]["grpo"]["best_step"]
    file.write_text(json.dumps(body))
    with pytest.raises(StaleRecord, match=r"phases\.grpo\.best_step: .*run train again"):
        TrainingReport.load(tmp_path)


def test_progress_and_threads_are_read_as_they_were_written(tmp_path: Path) -> None:
    progress = TrainingProgress(
        config={"seed": 3}, source_hash="ab", phases=TrainingPhases(sft=trained_phase())
    )
    choice = ThreadChoice(threads=2, seconds={1: 0.5, 2: 0.25})
    for record in (progress, choice):
        record.save(tmp_path)
        assert type(record).load(tmp_path) == record
    assert TrainingProgress.path(tmp_path).name == "train_progress.json"
    assert json.loads(ThreadChoice.path(tmp_path).read_text())["seconds"] == {"1": 0.5, "2": 0.25}


def test_a_row_of_the_log_is_flat_and_read_as_it_was_written(tmp_path: Path) -> None:
    rows = [
        TrainingRow(stage="sft", step=0, numbers={"validation/score": 0.5, "validation/lost": 1}),
        TrainingRow(stage="grpo", step=1, level="hard", alarm=str(ALARM), numbers={"loss": 0.25}),
    ]
    for row in rows:
        append_line(TrainingRow.path(tmp_path), row.line)
    assert TrainingRow.log(tmp_path) == rows
    assert [
        json.loads(each) for each in (tmp_path / "training.jsonl").read_text().splitlines()
    ] == [
        {"stage": "sft", "step": 0, "validation/score": 0.5, "validation/lost": 1},
        {"stage": "grpo", "step": 1, "level": "hard", "watch/alarm": str(ALARM), "loss": 0.25},
    ]
    append_line(TrainingRow.path(tmp_path), {"stage": "grpo", "step": 2, "loss": "high"})
    with pytest.raises(RecordError, match=r"training\.jsonl, line 3: loss"):
        TrainingRow.log(tmp_path)


def test_there_are_no_rows_without_a_log(tmp_path: Path) -> None:
    assert TrainingRow.log(tmp_path) == []


def test_a_folders_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    FolderManifest(files={"model.safetensors": "ab"}).save(tmp_path)
    assert FolderManifest.load(tmp_path).files == {"model.safetensors": "ab"}
    assert json.loads((tmp_path / "gonogo_manifest.json").read_text()) == {
        "schema": "gonogo/manifest/1",
        "files": {"model.safetensors": "ab"},
    }
