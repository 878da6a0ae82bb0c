"""The film of one task by both agents: short, of the right task, and drawn whatever the environment says."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from PIL import Image, ImageChops
from tests.reporting.conftest import spoil_episodes

from gonogo.errors import MissingRecord
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.record import Verdict
from gonogo.records.stations import PageReport
from gonogo.reporting import report as station
from gonogo.reporting import video
from gonogo.reporting.viewer import ReplayTurn

FFMPEG = shutil.which("ffmpeg")


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Films of a few pictures."""
    monkeypatch.setattr(video, "SECONDS", 2)
    monkeypatch.setattr(video, "FPS", 4)


@pytest.fixture
def no_ffmpeg(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.long
@pytest.mark.usefixtures("no_ffmpeg")
def test_without_ffmpeg_a_gif_is_made(run: Path) -> None:
    assert station.run(run, video=True) is Verdict.GO
    made = PageReport.load(run).video
    assert made is not None and made.file == "flights.gif"
    assert made.task == EvaluationReport.load(run).shown_task
    assert made.bytes == (run / "flights.gif").stat().st_size < video.MOST_COMMITTED
    with Image.open(run / "flights.gif") as film:
        frames = []
        milliseconds = 0
        for number in range(film.n_frames):
            film.seek(number)
            milliseconds += film.info["duration"]
            frames.append(film.convert("RGB"))
    assert milliseconds == 1000 * made.seconds
    assert ImageChops.difference(frames[0], frames[-1]).getbbox() is not None


def test_a_film_takes_less_than_two_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert video.OPENING + video.SECONDS + video.ENDING < 120


@pytest.mark.skipif(FFMPEG is None, reason="there is no ffmpeg")
def test_with_ffmpeg_an_mp4_is_made(run: Path) -> None:
    station.run(run, video=True)
    made = PageReport.load(run).video
    assert made is not None and made.file == "flights.mp4"
    heard = subprocess.run(
        [str(FFMPEG), "-i", run / "flights.mp4"], capture_output=True, text=True, check=False
    )
    assert f"Duration: 00:00:0{made.seconds:.2f}" in heard.stderr
    assert "yuv420p" in heard.stderr
    assert "960x600" in heard.stderr


@pytest.mark.usefixtures("no_ffmpeg")
def test_what_an_environment_says_is_drawn_as_it_is(run: Path) -> None:
    spoil_episodes(run, r"$\frac{$ {0} %s <b>" + "x" * 5000)
    station.run(run, video=True)
    assert (run / "flights.gif").is_file()


def test_without_episodes_there_is_nothing_to_film(run: Path) -> None:
    shutil.rmtree(run / "evaluation" / "random")
    with pytest.raises(MissingRecord, match="to be filmed"):
        station.run(run, video=True)


@pytest.mark.parametrize(
    ("did", "refused", "said"),
    [
        ('{"reply": "go  on"}', None, "go on"),
        ('{"reply": "go"}', "no such move", "refused: go"),
        ('{"move": 3}', None, '{"move": 3}'),
        ("", None, "(nothing)"),
        ("a\x05b\ud83d", None, "a·b·"),
        ("a" * 100, None, "a" * 61 + "…"),
    ],
)
def test_an_action_is_said_on_one_line(did: str, refused: str | None, said: str) -> None:
    assert video.action_of(ReplayTurn("", did, refused, None)) == said
