"""Missions by address, with their proofs kept on disk.

Owns the cache. A mission is drawn again from its address in microseconds; what costs is the proof, so only the
accepted attempt and the proof are stored, in one SQLite file that many processes share. The key holds the source of
everything that a proof depends on, so a change of the physics never meets an old proof.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
from collections import OrderedDict
from dataclasses import astuple, replace
from functools import lru_cache
from pathlib import Path

from flightrules.errors import MissionError, OptionError
from flightrules.missions.generator import address, candidate, generate
from flightrules.missions.knobs import AS_DRAWN, Knobs
from flightrules.missions.mission import Mission, Proof
from flightrules.missions.splits import LEVELS, num_tasks

CACHE_VARIABLE = "FLIGHTRULES_CACHE"
"""Environment variable that names the cache's folder; default: ``flightrules`` below the user's caches."""
_KEPT = 4096
_SOURCES = (
    "physics",
    "directives",
    "missions",
    "flight/command.py",
    "flight/happenings.py",
    "flight/simulation.py",
)


@lru_cache
def source_hash(more: tuple[str, ...] = ()) -> str:
    """Hash of every source file that a mission or its proof depends on.

    Args:
        more: Further files and folders of the package that something depends on beside the missions.
    """
    root = Path(__file__).resolve().parent.parent
    files = [
        path
        for name in _SOURCES + more
        for path in sorted([root / name, *(root / name).glob("*.py")])
        if path.is_file()
    ]
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _default_folder() -> Path:
    if named := os.environ.get(CACHE_VARIABLE):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "flightrules"


class MissionStore:
    """Proved missions by split and index, or by seed; threads may share one.

    Attributes:
        folder: The cache's folder.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Open the cache, or create it.

        Args:
            folder: The cache's folder; by default what :data:`CACHE_VARIABLE` says.

        Raises:
            MissionError: If the folder cannot be written.
        """
        folder = folder or _default_folder()
        self.folder = folder
        self._lock = threading.Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(
                folder / f"proofs-{source_hash()}.sqlite", timeout=30.0, check_same_thread=False
            )
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=OFF")
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS proofs (address TEXT PRIMARY KEY, attempt INTEGER, proof TEXT)"
            )
        except (OSError, sqlite3.Error) as error:
            raise MissionError(
                f"the cache of proofs must be writable, set {CACHE_VARIABLE}: {error}"
            ) from None
        self._missions: OrderedDict[str, Mission] = OrderedDict()

    def close(self) -> None:
        """Close the cache's file; missions held in memory stay usable."""
        self._db.close()

    def task(
        self, split: str, index: int, level: str | None = None, knobs: Knobs = AS_DRAWN
    ) -> Mission:
        """The mission of a task.

        Args:
            split: Name of the split.
            index: 0 up to the split's number of tasks, exclusive.
            level: The level; by default the levels alternate with the index.
            knobs: How the level is turned.

        Raises:
            IndexError: If there is no such split or index.
            MissionError: If there is no such level, or no fair mission of it with these knobs.
        """
        if not 0 <= index < num_tasks(split):
            raise IndexError(f"index must be from 0 to {num_tasks(split) - 1}, got {index}")
        return self.mission(level or task_level(index), split, index, knobs)

    def seeded(self, seed: int, level: str | None = None, knobs: Knobs = AS_DRAWN) -> Mission:
        """The training mission of a seed: the index is the seed.

        Raises:
            OptionError: If the seed is negative.
            MissionError: If there is no such level, or no fair mission of it with these knobs.
        """
        if seed < 0:
            raise OptionError(f"seed must be at least 0, got {seed}")
        return self.mission(level or LEVELS[0], "train", seed, knobs)

    def mission(self, level: str, split: str, index: int, knobs: Knobs = AS_DRAWN) -> Mission:
        """The mission at an address; it is proved where nobody has proved it yet.

        Raises:
            IndexError: If the split is unknown or the index negative.
            MissionError: If there is no such level, or no fair mission of it with these knobs.
        """
        mission = self.found(level, split, index, knobs)
        if mission is None:
            mission, drawn = generate(level, split, index, knobs)
            with self._lock:
                self._write(address(level, split, index, knobs), mission, drawn)
        return mission

    def found(self, level: str, split: str, index: int, knobs: Knobs = AS_DRAWN) -> Mission | None:
        """The mission at an address where its proof is known, else None: nothing is proved here."""
        name = address(level, split, index, knobs)
        with self._lock:
            mission = self._missions.pop(name, None)
            if mission is None:
                mission = self._read(name, level, split, index, knobs)
            if mission is not None:
                self._keep(name, mission)
        return mission

    def _keep(self, name: str, mission: Mission) -> None:
        self._missions[name] = mission
        if len(self._missions) > _KEPT:
            self._missions.popitem(last=False)

    def _read(self, name: str, level: str, split: str, index: int, knobs: Knobs) -> Mission | None:
        row = self._db.execute(
            "SELECT attempt, proof FROM proofs WHERE address = ?", (name,)
        ).fetchone()
        if row is None:
            return None
        idle, propellant, decisions = json.loads(row[1])
        proof = Proof(tuple(idle), propellant, decisions)
        return replace(candidate(level, split, index, row[0], knobs), proof=proof)

    def _write(self, name: str, mission: Mission, drawn: int) -> None:
        self._keep(name, mission)
        if mission.proof is not None:
            text = json.dumps(astuple(mission.proof))
            with self._db:
                self._db.execute(
                    "INSERT OR REPLACE INTO proofs VALUES (?, ?, ?)", (name, drawn - 1, text)
                )


def task_level(index: int) -> str:
    """Level of the task at an index where none is asked for: the levels alternate."""
    return LEVELS[index % len(LEVELS)]
