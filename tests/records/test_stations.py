"""The stations: each is known by its command, leaves a record of its own, and needs only those before it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gonogo.cli.commands import app
from gonogo.errors import StaleRecord
from gonogo.records.provenance import provenance
from gonogo.records.record import Verdict
from gonogo.records.stations import STATIONS, BoardRow, DemoReport, PollReport, StationDone


def test_each_station_is_a_command_with_a_record_of_its_own() -> None:
    commands = {command.name or command.callback.__name__ for command in app.registered_commands}
    assert set(STATIONS) <= commands
    assert len({station.record.kind for station in STATIONS.values()}) == len(STATIONS)


def test_a_station_needs_only_those_before_it() -> None:
    done: set[str] = set()
    for name, station in STATIONS.items():
        assert station.name == name and set(station.needs) <= done
        done.add(name)


def test_what_has_to_be_there_is_told_in_words() -> None:
    assert STATIONS["map"].before == []
    assert STATIONS["train"].before == ["map", "audit", "a confirmed problem statement"]


def row(verdict: Verdict | None) -> BoardRow:
    return BoardRow(station="map", asks="what it is", verdict=verdict, said="no map", next=None)


def test_a_board_is_read_as_it_was_written(tmp_path: Path) -> None:
    rows = (row(Verdict.NO_GO), row(None))
    report = PollReport(
        target="envs/x", source_hash=None, verdict=Verdict.NO_GO, board=rows, **provenance()
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
    report = DemoReport(stations=stations, **provenance())
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
