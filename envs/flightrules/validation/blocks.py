"""Long flying in blocks of missions: two processes, kept as they finish, so that a run that was stopped goes on.

Owns the record files of `validation/`. Beside the record that is to be written stands a file with one JSON line a
finished block; its first line says what the run is about (arguments and source hash), and a run that is about something
else begins anew.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flightrules.flight.command import Command
from flightrules.flight.flight import Flight
from flightrules.missions.mission import Mission

Json = dict[str, Any]
FLYING = ("flight", "reward", "validation/policies.py", "validation/reader.py")
"""What a flight of a policy depends on beside the missions, see `flightrules.missions.store.source_hash`."""
WORKERS = 2
"""Processes that fly."""
BLOCK = 25
"""Missions of a block: some seconds of flying, what is lost at most by each process when a run is stopped."""


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive missions of one level and split: ``count`` from index ``first`` on."""

    level: str
    split: str
    first: int
    count: int

    @property
    def indices(self) -> range:
        """Indices of its missions."""
        return range(self.first, self.first + self.count)

    @property
    def name(self) -> str:
        """The block as one word."""
        return f"{self.level}/{self.split}/{self.first}+{self.count}"


def blocks(level: str, split: str, missions: int) -> list[Block]:
    """The first missions of a level and split, cut into blocks."""
    return [
        Block(level, split, first, min(BLOCK, missions - first))
        for first in range(0, missions, BLOCK)
    ]


def fly(mission: Mission, decide: Callable[[Flight], Command]) -> Flight:
    """Fly a mission to the end of its clock or its decisions; nothing ends it before."""
    flight = Flight(mission)
    while not flight.done:
        flight.execute(decide(flight))
    return flight


def finish(
    work: Callable[[Block], Json], todo: Sequence[Block], out: Path, about: Json
) -> list[Json]:
    """The results of all blocks, in their order; those that an earlier run has finished are not flown again.

    Args:
        work: What is done with a block, in another process: it and its result must travel (pickle, JSON).
        todo: The blocks.
        out: The record that will be written from the results; the finished blocks are kept beside it.
        about: What the results depend on: arguments and the hash of the sources.
    """
    kept = _kept_file(out)
    done = _resume(kept, about)
    # The levels in turn, hard ones and easy ones, so that the time that is left can be told early.
    missing = sorted((b for b in todo if b.name not in done), key=lambda block: block.first)
    start = time.monotonic()
    # Ctrl-C reaches every process: this one stops the run, a worker in the middle of an answer would hang it.
    pool = ProcessPoolExecutor(
        WORKERS,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=signal.signal,
        initargs=(signal.SIGINT, signal.SIG_IGN),
    )
    try:
        futures = {pool.submit(work, block): block for block in missing}
        with kept.open("a", encoding="utf-8") as file:
            for count, future in enumerate(as_completed(futures), 1):
                name = futures[future].name
                done[name] = future.result()
                file.write(json.dumps({"block": name, "result": done[name]}) + "\n")
                file.flush()
                left_s = (time.monotonic() - start) / count * (len(missing) - count)
                _progress(f"{len(todo) - len(missing) + count} of {len(todo)} blocks", left_s)
    finally:
        pool.shutdown(cancel_futures=True)
    return [done[block.name] for block in todo]


def write_record(out: Path, record: Json) -> None:
    """Write a record whole or not at all, and drop the blocks that it was made from."""
    draft = out.with_suffix(".draft")
    draft.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    os.replace(draft, out)
    _kept_file(out).unlink(missing_ok=True)


def _kept_file(out: Path) -> Path:
    return out.with_suffix(".blocks.jsonl")


def _resume(kept: Path, about: Json) -> dict[str, Json]:
    """What an earlier run about the same has finished, by the blocks' names; leaves a file that can be appended to."""
    lines = kept.read_text(encoding="utf-8").splitlines(keepends=True) if kept.exists() else []
    if lines and not lines[-1].endswith("\n"):
        del lines[-1]  # the run was stopped while it wrote
    head = json.dumps({"about": about}) + "\n"
    if lines[:1] != [head]:
        lines = [head]
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text("".join(lines), encoding="utf-8")
    return {entry["block"]: entry["result"] for entry in map(json.loads, lines[1:])}


def _progress(done: str, left_s: float) -> None:
    print(f"{done}, about {left_s / 60.0:.1f} min left", file=sys.stderr, flush=True)
