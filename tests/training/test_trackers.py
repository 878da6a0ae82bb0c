"""Figures go to the trackers as these store them; nothing is sent twice, and what is missing has a command."""

from __future__ import annotations

import json
import sqlite3
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="the train extra is not installed")

from gonogo.config import RunConfig
from gonogo.errors import MissingExtra
from gonogo.records.training import TrainingRow
from gonogo.training.trackers import Tracker, chosen, open_tracker

TURNS = {"reward/overall": 0.5, "level/easy/turns": 3}
ROWS = [
    TrainingRow(stage="grpo", step=0, numbers={"validation/score": 0.25}),
    TrainingRow(stage="grpo", step=1, level="easy", numbers=TURNS),
    TrainingRow(stage="grpo", step=2, alarm="it fell", numbers={"reward/overall": 0.75}),
]
KINDS = ("trackio", "tensorboard", "wandb")


class Kept:
    """A run that keeps what it gets."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, dict[str, float]]] = []
        self.finished = False

    def log(self, figures: dict[str, float], step: int) -> None:
        self.rows.append((step, figures))

    def finish(self) -> None:
        self.finished = True


def run(tmp_path: Path, log: Any) -> RunConfig:
    return RunConfig(target="zoo.cases:Defect", out=tmp_path / "run", log=log)


def send(config: RunConfig) -> None:
    with open_tracker(config, "grpo", -1) as tracker:
        for row in ROWS:
            tracker.take(row)


def test_numbers_are_sent_once() -> None:
    kept = Kept()
    with Tracker(kept, sent=0) as tracker:
        for row in ROWS:
            tracker.take(row)
        assert not kept.finished
    assert kept.rows == [
        (1, {"reward/overall": 0.5, "level/easy/turns": 3.0}),
        (2, {"reward/overall": 0.75}),
    ]
    assert kept.finished


def test_none_takes_rows_and_keeps_nothing(tmp_path: Path) -> None:
    config = run(tmp_path, "none")
    assert chosen(config) is None
    send(config)
    assert not list(tmp_path.iterdir())


def test_without_a_word_it_is_trackio_where_that_is_installed(tmp_path: Path) -> None:
    expected = "trackio" if find_spec("trackio") is not None else None
    assert chosen(run(tmp_path, None)) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_a_tracker_that_is_not_installed_has_a_command(tmp_path: Path, kind: str) -> None:
    if find_spec(kind) is not None:
        assert chosen(run(tmp_path, kind)) == kind
        return
    with pytest.raises(MissingExtra, match=rf"--log {kind} .* pip install 'gonogo\[{kind}\]'"):
        open_tracker(run(tmp_path, kind), "grpo", -1)


def test_trackio(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("trackio")
    from trackio.utils import TRACKIO_DIR  # read from the environment when it is imported

    send(run(tmp_path, "trackio"))
    assert capsys.readouterr().out == ""
    [path] = TRACKIO_DIR.glob("zoo*.db")
    with sqlite3.connect(path) as stored:
        found = stored.execute(
            "select run_name, step, metrics from metrics order by step"
        ).fetchall()
    assert [(name, step) for name, step, _ in found] == [("run grpo", step) for step in (0, 1, 2)]
    assert json.loads(found[1][2])["level/easy/turns"] == 3.0


def test_tensorboard(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    send(run(tmp_path, "tensorboard"))
    found = EventAccumulator(str(tmp_path / "run" / "tensorboard" / "grpo"))
    found.Reload()
    assert [(e.step, e.value) for e in found.Scalars("reward/overall")] == [(1, 0.5), (2, 0.75)]


def test_wandb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_MODE", "offline")
    (tmp_path / "run").mkdir()
    send(run(tmp_path, "wandb"))
    assert list((tmp_path / "run" / "wandb").glob("offline-run-*/*.wandb"))
