"""A poll's board and a pipeline's stations are read as they were written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gonogo.errors import StaleRecord
from gonogo.records.base import Verdict
from gonogo.records.demo import DemoReport, StationDone
from gonogo.records.poll import BoardRow, PollReport
from gonogo.records.record import made


def row(verdict: Verdict | None) -> BoardRow:
    return BoardRow(station="map", asks="what it is", verdict=verdict, said="no map", next=None)


def test_a_board_is_read_as_it_was_written(tmp_path: Path) -> None:
    rows = (row(Verdict.NO_GO), row(None))
    report = PollReport(
        target="envs/x", source_hash=None, verdict=Verdict.NO_GO, board=rows, **made()
    )
    report.save(tmp_path)
    assert PollReport.load(tmp_path) == report
    body = json.loads((tmp_path / "poll.json").read_text())
    assert body["schema"] == "gonogo/poll/1" and body["verdict"] == "NO_GO"
    assert [each["verdict"] for each in body["board"]] == ["NO_GO", None]
    assert body["board"][0]["next"] is None


def test_a_station_that_was_begun_has_no_verdict_yet(tmp_path: Path) -> None:
    done = StationDone(fingerprint="ab", verdict=Verdict.HOLD, seconds=1.5)
    stations = {"map": done, "audit": StationDone(fingerprint="cd")}
    report = DemoReport(stations=stations, **made())
    report.save(tmp_path)
    assert DemoReport.load(tmp_path) == report
    body = json.loads((tmp_path / "demo.json").read_text())
    assert body["stations"] == {
        "map": {"fingerprint": "ab", "verdict": 3, "seconds": 1.5},
        "audit": {"fingerprint": "cd"},
    }
    body["stations"]["map"]["verdict"] = 7
    (tmp_path / "demo.json").write_text(json.dumps(body))
    with pytest.raises(StaleRecord, match=r"stations\.map\.verdict"):
        DemoReport.load(tmp_path)
