"""What is seen of a training: figures of a step, the display and its interrupt, trackers."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from gonogo.config import RunConfig
from gonogo.errors import Interrupted, MissingExtra
from gonogo.records.training import TrainingRow
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.training import tracking
from gonogo.training.tracking import (
    SIGNALS,
    Tracker,
    TrainingDisplay,
    chosen,
    line_of,
    metrics_of,
    open_tracker,
    raw_replies,
    sample,
)

ENOUGH_S = 60.0
TURNS = {"reward/overall": 0.5, "level/easy/turns": 3}
ROWS = [
    TrainingRow(stage="grpo", step=0, numbers={"validation/score": 0.25}),
    TrainingRow(stage="grpo", step=1, level="easy", numbers=TURNS),
    TrainingRow(stage="grpo", step=2, alarm="it fell", numbers={"reward/overall": 0.75}),
]
KINDS = ("trackio", "tensorboard", "wandb")


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_asks_to_stop_and_a_second_one_stops(number: signal.Signals) -> None:
    before = {each: signal.getsignal(each) for each in SIGNALS}
    with TrainingDisplay(quiet=True) as board:
        board.phase("sft", 3, steps=True)
        assert not board.interrupted()
        os.kill(os.getpid(), number)
        assert board.interrupted()
        assert board.interrupt().exit_code == 128 + number
        with pytest.raises(Interrupted):
            os.kill(os.getpid(), number)
    assert {each: signal.getsignal(each) for each in SIGNALS} == before


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_stops_at_once_where_nothing_is_trained(number: signal.Signals) -> None:
    with TrainingDisplay(quiet=True) as board:
        board.phase("traces", 3)
        with pytest.raises(Interrupted):
            os.kill(os.getpid(), number)


def told(capsys: pytest.CaptureFixture[str], start: str, least: int = 1) -> list[str]:
    """Lines that are printed until enough begin so; a busy machine takes its time."""
    lines: list[str] = []
    deadline = time.monotonic() + ENOUGH_S
    while sum(line.startswith(start) for line in lines) < least and time.monotonic() < deadline:
        time.sleep(0.02)
        lines += capsys.readouterr().err.splitlines()
    return lines


def test_without_a_terminal_a_line_now_and_then_says_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also while a step takes long; what is reported in between is taken in."""
    pytest.importorskip("trl", reason="the train extra is not installed")
    monkeypatch.setattr(tracking, "EVERY_S", 0.05)
    with TrainingDisplay() as shown:
        observer = shown.observer(None)
        shown.phase("traces", 40)
        observer.progress(30, 40)
        said = told(capsys, "traces 30/40: ")
        shown.phase("sft", 600, steps=True)
        for step in range(1, 4):
            observer.row(TrainingRow(stage="sft", step=step, numbers={"loss": 0.5}))
        said += told(capsys, "sft 3/600: ", least=2)
    shown._lines.join(ENOUGH_S)  # it is over
    assert not shown._lines.is_alive()
    assert any(line.startswith("traces 30/40: 0:00:") for line in said), said
    steps = [line for line in said if line.startswith("sft 3/600: ")]
    assert len(steps) >= 2 and steps[-1].endswith("loss 0.500"), said
    assert re.search(r"so far, about \d+:\d\d:\d\d left  loss", steps[-1]), said


def test_a_quiet_board_says_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tracking, "EVERY_S", 0.01)
    with TrainingDisplay(quiet=True) as shown:
        shown.phase("traces", 40)
        time.sleep(0.1)
    assert capsys.readouterr().err == ""


def test_a_line_stays_a_line_and_what_is_not_known_is_left_out() -> None:
    with TrainingDisplay(quiet=True) as shown:
        shown.phase("traces", 40)
        shown.phase("untrained", None)
        assert line_of(shown._progress.tasks[0]) == "untrained: 0:00:00 so far"


def test_metrics_leave_lost_episodes_out_and_say_how_many() -> None:
    flown = Episode(
        0, {}, "", "", turns=[Turn("", {}, reply="a"), Turn("", {}, reply="b", invalid="no")],
        episode_return=0.5, success=True, components={"primary": 1.0}, timeout=True,
    )  # fmt: skip
    lost = Episode(1, {}, "", "", error="crash")
    assert metrics_of([flown, lost]) == {
        "reward/overall": 0.5,
        "reward/primary": 1.0,
        "episode/timeout_rate": 1.0,
        "episode/success_rate": 1.0,
        "episode/invalid_rate": 0.5,
        "episode/turns": 2.0,
        "episode/lost": 1.0,
    }
    assert metrics_of([lost]) == {}
    other = Episode(2, {}, "another", "", episode_return=1.0, components={"its": 1.0})
    both = metrics_of([flown, other])  # a component is its environment's own
    assert (both["reward/primary"], both["reward/its"], both["reward/overall"]) == (1.0, 1.0, 0.75)
    assert sample([flown, lost]) == [flown]
    assert raw_replies([flown, flown]) == ["a", "b   <- no"]


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
    pytest.importorskip("torch", reason="the train extra is not installed")
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
