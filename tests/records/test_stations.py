"""The stations: each is known by its command, leaves a record of its own, and needs only those before it."""

from __future__ import annotations

from gonogo.cli.commands import app
from gonogo.records.stations import STATIONS


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
