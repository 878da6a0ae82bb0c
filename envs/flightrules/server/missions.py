"""Flights ready to begin, for all the sessions of a server; missions are proved beside its event loop.

A proof takes a tenth of a second of one core. A server that makes it where it answers is late with everything
else, its health check included; so a server that has started (`Missions.open`) has its proofs made by processes
of their own, each once, however many sessions wait for it. Elsewhere, as in a worker that flies the environment
without a server, they are made at once. What was flown lately begins again without drawing its noise anew.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections import OrderedDict
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from flightrules.flight.command import COAST_MIN_S, Command
from flightrules.flight.flight import Flight
from flightrules.missions.generator import address, candidate
from flightrules.missions.knobs import AS_DRAWN, Knobs
from flightrules.missions.mission import Proof
from flightrules.missions.store import MissionStore

PROVERS = 2
"""Processes that prove, at most; one core is left to the server."""
KEPT = 128
"""Flights kept to begin again: a megabyte at most, each."""


class Place(NamedTuple):
    """The address of a mission: a level, a split, and the place within the split."""

    level: str
    split: str
    number: int
    knobs: Knobs = AS_DRAWN


class Missions:
    """The flights of a process; see the module."""

    def __init__(self) -> None:
        self._store: MissionStore | None = None
        self._opened_by = 0
        self._pool: ProcessPoolExecutor | None = None
        self._proving: dict[str, asyncio.Task[None]] = {}
        self._kept: OrderedDict[str, Flight] = OrderedDict()

    def open(self) -> None:
        """From now on, processes prove; the first is started by the first mission that needs a proof.

        The compiled physics are loaded before: the server would be silent for as long at the first reset.
        """
        load_physics()
        self._pool = _new_pool()

    def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    def flight(self, place: Place) -> Flight:
        """A flight of the mission at its start; the mission is proved here, if it has to be.

        Raises:
            MissionError: If no fair mission can be had.
        """
        name = address(*place)
        known = self._kept.get(name)
        if known is None:
            known = self._kept[name] = Flight(self._missions.mission(*place))
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return known.rewound()

    async def flight_async(self, place: Place) -> Flight:
        """The same; a mission that has to be proved is proved by another process, where there are any.

        Raises:
            MissionError: If no fair mission can be had.
        """
        name = address(*place)
        if self._pool is None or name in self._kept or self._missions.found(*place) is not None:
            return self.flight(place)
        proving = self._proving.get(name)
        if proving is None:
            proving = self._proving[name] = asyncio.create_task(self._prove(place))
            proving.add_done_callback(lambda _: self._proving.pop(name))
        await asyncio.shield(proving)  # a session that ends takes the proof from nobody else
        return self.flight(place)

    async def _prove(self, place: Place) -> None:
        """Have a mission proved; where the process ends over it, once more."""
        folder, pool = self._missions.folder, self._pool
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(pool, prove_into, folder, place)
        except BrokenProcessPool:
            if self._pool is pool:
                self._pool = _new_pool()
            await loop.run_in_executor(self._pool, prove_into, folder, place)

    @property
    def _missions(self) -> MissionStore:
        """Opened by the first reset, and again after a fork: SQLite's connections are not carried over one."""
        if self._store is None or self._opened_by != os.getpid():
            self._store, self._opened_by = MissionStore(), os.getpid()
        return self._store


@lru_cache
def load_physics() -> None:
    """Compile the physics, or read them from numba's cache: fly a decision of a mission that nobody has proved."""
    mission = candidate("retarget", "train", 0, 0)
    nothing = Proof((0.0,) * len(mission.directives), 1.0, 1)
    flight = Flight(replace(mission, proof=nothing))
    flight.execute(Command("roll+small", "detumble", COAST_MIN_S))
    flight.telemetry()
    flight.outcome()


def _new_pool() -> ProcessPoolExecutor:
    most = max(1, min(PROVERS, len(os.sched_getaffinity(0)) - 1))
    spawn = multiprocessing.get_context("spawn")  # the server has threads: it cannot be forked
    return ProcessPoolExecutor(most, mp_context=spawn, initializer=_end_with_the_server)


def _end_with_the_server() -> None:
    """A server that is killed says nothing; its processes end with it all the same."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    server = multiprocessing.parent_process()
    assert server is not None

    def watch() -> None:
        server.join()
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()


@lru_cache(maxsize=1)
def _store_in(folder: Path) -> MissionStore:
    return MissionStore(folder)


def prove_into(folder: Path, place: Place) -> None:
    """Prove a mission and write the proof into the cache of a folder.

    Args:
        folder: The cache's folder.
        place: The mission's address.

    Raises:
        MissionError: If no fair mission can be had.
    """
    _store_in(folder).mission(*place)
