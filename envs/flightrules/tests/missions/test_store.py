"""The cache of proofs: found again, never trusted after a change, refused where it cannot be written."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from flightrules.errors import MissionError, OptionError
from flightrules.missions import store as store_module
from flightrules.missions.knobs import Knobs
from flightrules.missions.splits import TASKS_PER_SPLIT
from flightrules.missions.store import MissionStore


def test_a_second_store_finds_the_proof(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof made once is not made again, and the mission is the same."""
    first = MissionStore(tmp_path).task("test", 3, "detumble")

    def refuse(*_: object) -> None:
        raise AssertionError("the proof was made again")

    monkeypatch.setattr(store_module, "generate", refuse)
    again = MissionStore(tmp_path).task("test", 3, "detumble")
    assert again.proof == first.proof
    assert again.omega_BN_B.tobytes() == first.omega_BN_B.tobytes()


def test_a_change_of_the_sources_starts_a_new_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file's name holds the hash of the sources."""
    MissionStore(tmp_path).task("test", 3)
    monkeypatch.setattr(store_module, "source_hash", lambda: "another")
    MissionStore(tmp_path).task("test", 3)
    assert len(list(tmp_path.glob("proofs-*.sqlite"))) == 2


def test_knobs_are_part_of_the_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A turned mission has a row of its own, and is turned again when it is found there."""
    knobs = Knobs(directives=1, tightness=0.9, anomaly="gauge")
    store = MissionStore(tmp_path)
    turned = store.task("test", 3, "retarget", knobs)
    assert store.task("test", 3, "retarget", knobs) is turned
    assert len(store.task("test", 3, "retarget").directives) > len(turned.directives) == 1
    assert store.seeded(3, "retarget", knobs) is store.task("train", 3, "retarget", knobs)
    (path,) = tmp_path.glob("proofs-*.sqlite")
    rows = {row[0] for row in sqlite3.connect(path).execute("SELECT address FROM proofs")}
    name = "retarget/test/3?directives=1&tightness=0.9&anomaly=gauge"
    assert {name, "retarget/test/3"} < rows
    monkeypatch.setattr(store_module, "generate", None)
    again = MissionStore(tmp_path).task("test", 3, "retarget", knobs)
    assert (again.directives, again.anomalies, again.proof) == (
        turned.directives, turned.anomalies, turned.proof,
    )  # fmt: skip


def test_seeds_and_levels(tmp_path: Path) -> None:
    """A seed is an index of train; without a level the first is flown, and tasks alternate."""
    store = MissionStore(tmp_path)
    assert store.seeded(5) is store.task("train", 5, "detumble")
    assert store.task("train", 5).level == "retarget"
    assert store.seeded(TASKS_PER_SPLIT + 1).level == "detumble"
    with pytest.raises(OptionError, match="seed must be at least 0, got -1"):
        store.seeded(-1)
    with pytest.raises(IndexError, match="index must be from 0 to 1999999, got 2000000"):
        store.task("train", TASKS_PER_SPLIT)
    with pytest.raises(IndexError, match="split must be one of"):
        store.task("exam", 0)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """The error names the variable to set."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(MissionError, match="FLIGHTRULES_CACHE"):
        MissionStore(blocked / "cache")


def test_the_cache_is_one_small_row_a_mission(tmp_path: Path) -> None:
    """What is stored is the attempt and the proof, not the mission."""
    store = MissionStore(tmp_path)
    for index in range(3):
        store.task("validation", index, "detumble")
    (path,) = tmp_path.glob("proofs-*.sqlite")
    rows = sqlite3.connect(path).execute("SELECT attempt, proof FROM proofs").fetchall()
    assert len(rows) == 3
    assert all(attempt < 5 and len(proof) < 200 for attempt, proof in rows)
