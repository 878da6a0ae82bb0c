"""A log answers what it holds, once and in order; where it holds something else, everything is flown anew."""

from __future__ import annotations

import base64
import json
import lzma
import math
import random
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from gonogo import config
from gonogo.auditing import flight_log
from gonogo.auditing.flight_log import FlightLog, log_folder, log_in_use
from gonogo.env.environment import Env
from gonogo.errors import Misuse
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.wire import TaskOptions


class Flights:
    """Flights that are counted."""

    def __init__(self) -> None:
        self.flown: list[int] = []

    def fly(self, log: FlightLog, number: int) -> Episode:
        """One episode, through the log."""

        def now() -> list[Episode]:
            self.flown.append(number)
            turn = Turn("", {}, action={"x": math.nan}, reward=number + 0.1)
            return [Episode(number, {"seed": number}, "t", "p", turns=[turn])]

        (episode,) = log.flown(json.dumps({"number": number}), now)
        return episode


def test_what_is_in_the_log_is_not_flown_again(tmp_path: Path) -> None:
    path, flights = tmp_path / "log.jsonl", Flights()
    before = FlightLog(path)
    first = [flights.fly(before, number) for number in range(3)]
    with path.open("a") as file:
        file.write('{"flight": "torn')
    after = FlightLog(path)
    again = [flights.fly(after, number) for number in range(5)]
    assert flights.flown == [0, 1, 2, 3, 4]
    assert [e.to_json() for e in again[:3]] == [e.to_json() for e in first]
    assert len(path.read_text().splitlines()) == 5


def episode_showing(number: int, shown: str) -> Episode:
    turns = [Turn(shown, {"said": shown}, action={"x": math.nan}, reward=0.1) for _ in range(64)]
    return Episode(number, {"seed": number}, "t", "p", turns=turns)


def test_what_is_shown_again_and_again_is_not_written_again_and_again(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    shown = "".join(random.Random(0).choices("abcdefgh", k=40_000))
    flown = [episode_showing(number, shown) for number in range(3)]
    log = FlightLog(path)
    for number, episode in enumerate(flown):
        assert log.flown(str(number), lambda episode=episode: [episode]) == [episode]
    assert path.stat().st_size < 3 * len(shown)  # of 3 * 128 times it
    read = FlightLog(path)
    for number, episode in enumerate(flown):
        (again,) = read.flown(str(number), lambda: pytest.fail("it is in the log"))
        assert again.to_json() == episode.to_json()


def test_a_log_ends_where_it_is_full_and_what_follows_is_flown_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flight_log, "MOST_BYTES", 1_000)
    path, flights = tmp_path / "log.jsonl", Flights()
    first = FlightLog(path)
    told = [flights.fly(first, number).to_json() for number in range(9)]
    assert path.stat().st_size <= 1_000
    kept = len(path.read_text().splitlines())
    assert 0 < kept < 9
    log = FlightLog(path)
    assert [flights.fly(log, number).to_json() for number in range(9)] == told
    assert flights.flown == [*range(9), *range(kept, 9)]


def packed_log(path: Path) -> list[Episode]:
    """A log of two flights that are packed."""
    shown = "".join(random.Random(0).choices("abcdefgh", k=40_000))
    flown = [episode_showing(number, shown) for number in range(2)]
    log = FlightLog(path)
    for number, episode in enumerate(flown):
        log.flown(str(number), lambda episode=episode: [episode])
    return flown


def packed(held: str, form: int = lzma.FORMAT_XZ) -> str:
    return base64.b64encode(lzma.compress(held.encode(), form)).decode()


ODD = {
    "unpacked": packed("[{", lzma.FORMAT_ALONE),
    "no JSON": packed("[{"),
    "a number": packed("3"),
    "an object": packed('{"schema": 1}'),
    "deep": packed("[" * 100_000),
}
"""What no log writes and can be unpacked all the same."""


@pytest.mark.parametrize("damage", ["cut", "other", "no base 64", "other letters", *ODD])
def test_from_a_damaged_line_on_everything_is_flown_anew(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "log.jsonl"
    flown = packed_log(path)
    lines = path.read_text().splitlines()
    row = json.loads(lines[1])
    whole = row["packed"]
    half = len(whole) // 8 * 4
    ways = {"cut": whole[:half], "other": "AAAA" + whole[4:], "no base 64": whole[:-3]}
    row["packed"] = {**ways, "other letters": "é" + whole[1:], **ODD}[damage]
    path.write_text(f"{lines[0]}\n{json.dumps(row)}\n")
    log = FlightLog(path)
    log.flown("0", lambda: pytest.fail("it is in the log"))
    (again,) = log.flown("1", lambda: [flown[1]])
    assert again is flown[1]
    assert path.read_text().splitlines() == lines


@pytest.mark.parametrize(
    "damaged",
    [
        b'{"flight": 3}',
        b"{",
        b"\xff",
        b"[]",
        b'{"flight": NAME, "episodes": [{"schema": "old"}]}',
        b"[" * 100_000,
    ],
    ids=["3", "{", "letter", "list", "old", "deep"],
)
def test_a_line_that_is_none_of_a_logs_ends_it(tmp_path: Path, damaged: bytes) -> None:
    path, flights = tmp_path / "log.jsonl", Flights()
    first = FlightLog(path)
    for number in range(3):
        flights.fly(first, number)
    lines = path.read_bytes().splitlines()
    name = json.dumps(json.loads(lines[1])["flight"]).encode()
    path.write_bytes(
        b"".join(b"%s\n" % n for n in (lines[0], damaged.replace(b"NAME", name), lines[2]))
    )
    log = FlightLog(path)
    for number in range(3):
        flights.fly(log, number)
    assert flights.flown == [0, 1, 2, 1, 2]
    assert path.read_bytes().splitlines() == lines


def test_a_line_that_unpacks_to_more_than_a_log_writes_is_flown_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, other = tmp_path / "log.jsonl", tmp_path / "other.jsonl"
    flown = packed_log(path)
    monkeypatch.setattr(flight_log, "MOST_UNPACKED", 100_000)
    log = FlightLog(path)
    (again,) = log.flown("0", lambda: [flown[0]])
    assert again is flown[0] and path.read_text() == ""
    packed_log(other)
    assert not other.exists()


def test_from_another_flight_on_everything_is_flown_anew(tmp_path: Path) -> None:
    path, flights = tmp_path / "log.jsonl", Flights()
    before = FlightLog(path)
    for number in range(3):
        flights.fly(before, number)
    after = FlightLog(path)
    assert [flights.fly(after, number).index for number in (0, 7, 2)] == [0, 7, 2]
    assert flights.flown == [0, 1, 2, 7, 2]
    last = FlightLog(path)
    for number in (0, 7, 2):
        flights.fly(last, number)
    assert flights.flown == [0, 1, 2, 7, 2]


def test_who_reads_a_log_waits_for_who_writes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, order, waits = tmp_path / "log.jsonl", list[str](), threading.Event()

    def second() -> None:
        with log_in_use(path, waits.set):
            order.append("second")

    waiting = threading.Thread(target=second)
    with log_in_use(path, lambda: None):
        waiting.start()
        assert waits.wait(timeout=10)
        order.append("first")
    waiting.join(timeout=10)
    assert order == ["first", "second"]
    monkeypatch.setattr("gonogo.auditing.flight_log.WAIT_S", 0.0)
    with log_in_use(path, lambda: None):
        said = f"another audit writes {path}: wait for its end"
        with pytest.raises(Misuse, match=said), log_in_use(path, lambda: None):
            pass


def logs(run: config.RunConfig, tasks: Sequence[TaskOptions], source: str = "source") -> Path:
    env = Env.of(run)
    env.source = source
    return log_folder(run, env, tasks)


def test_a_log_of_another_format_is_not_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = config.load(None, {"target": "a:B", "out": str(tmp_path)})
    now = logs(run, [{}])
    monkeypatch.setattr(flight_log, "FORMAT", flight_log.FORMAT - 1)
    assert logs(run, [{}]) != now and not now.exists()


def test_another_config_or_source_has_a_folder_of_its_own(tmp_path: Path) -> None:
    given = {"target": "a:B", "out": str(tmp_path)}
    run = config.load(None, given)
    known: list[TaskOptions] = [{}]
    folder = logs(run, known)
    (folder / "task-0.jsonl").write_text("{}\n")
    assert logs(config.load(None, {**given, "audit.jobs": 2}), known) == folder
    assert (folder / "task-0.jsonl").exists()
    others = [
        logs(run, known, "changed"),
        logs(config.load(None, {**given, "audit.search": 1}), known),
        logs(config.load(None, {**given, "rollout.max_turns": 3}), known),
        logs(run, [{"level": 1}]),
    ]
    reward, model = tmp_path / "reward.py", tmp_path / "models/mine"
    model.mkdir(parents=True)
    reward.write_text("0")
    paid = config.load(None, {**given, "reward": str(reward)})
    judged = config.load(None, {**given, "audit.policy": str(model)})
    for text in ("1", "2"):
        reward.write_text(text)
        (model / "config.json").write_text(text)
        others += [logs(paid, known), logs(judged, known)]
    assert len({folder, *others}) == 9
    assert not folder.exists()
