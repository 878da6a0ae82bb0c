"""A training begins where no audit forbids it and its judges are new to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.pipeline.audited_runs import ROOT, audited

from gonogo import config
from gonogo.env.acceptance import acceptances
from gonogo.errors import EnvironmentFailure, Forbidden
from gonogo.pipeline import demo as demo_command
from gonogo.pipeline import train as train_command
from gonogo.records.record import Verdict


def test_a_dry_run_says_an_audit_s_no_go_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(ROOT)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(train_command, "rehearse", lambda run, memory: Verdict.GO)
    run = audited(tmp_path, "paid_for_idling")
    assert train_command.dry_run(run) is Verdict.NO_GO
    assert "found paid_for_idling" in " ".join(capsys.readouterr().err.split())
    assert train_command.dry_run(run, accept="a game of patience") is Verdict.GO
    assert not acceptances(run.target).file.exists()


def test_a_training_stops_at_an_audit_that_is_no_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(ROOT)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    run = audited(tmp_path, "paid_for_idling")
    given = {
        "validation": {"tasks": {"options": {}}},
        "curriculum": {"stages": [{"name": "all", "options": {}}]},
        "sft": {"teacher": "random"},
    }
    train = config.TrainConfig.model_validate_json(json.dumps(given))
    with pytest.raises(Forbidden, match="found paid_for_idling"):
        train_command.train(run.model_copy(update={"train": train}))
    assert not (tmp_path / "train_progress.json").exists()


@pytest.mark.parametrize("judged", [{}, {"start": 900, "policies": ["idle", "untrained"]}])
def test_copies_of_training_s_tasks_are_refused_before_it_begins_unless_the_config_means_it(
    echo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judged: dict[str, Any]
) -> None:
    begun: list[config.RunConfig] = []

    def begin(run: config.RunConfig, push: str | None) -> Verdict:
        begun.append(run)
        return Verdict.GO

    monkeypatch.setattr(demo_command.train_station, "run", begin)

    def run_of(**evaluation: Any) -> config.RunConfig:
        given = {
            "target": str(echo),
            "out": str(tmp_path / "run"),
            "theme": {"required": False},
            "rollout": {"slots": 4, "max_turns": 2},
            "train": {
                "validation": {"tasks": {"options": {}, "start": 100}, "episodes": 2},
                "curriculum": {"stages": [{"name": "all", "options": {}, "tasks": 2}]},
                "sft": {"teacher": "random"},
            },
            "evaluation": {**judged, **evaluation},
        }
        return config.RunConfig.model_validate_json(json.dumps(given))

    plain = run_of()
    for command in (train_command.train, demo_command.demo):
        with pytest.raises(EnvironmentFailure, match="2 of 2 validation tasks are copies") as said:
            command(plain)
        assert ("16 of 16 held-out tasks are copies" in str(said.value)) == bool(judged)
        assert "evaluation.memorisation: true" in str(said.value)
    assert not begun and not (tmp_path / "run").exists()
    assert train_command.train(run_of(memorisation=True)) is Verdict.GO and len(begun) == 1
