"""Proofs are made beside the server: it answers others meanwhile, and each mission is proved once."""

from __future__ import annotations

import asyncio
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect

from flightrules.errors import MissionError
from flightrules.missions.knobs import AS_DRAWN, Knobs
from flightrules.missions.store import CACHE_VARIABLE
from flightrules.server.app import build_app
from flightrules.server.environment import FlightRulesEnvironment
from flightrules.server.missions import Missions, Place

SESSIONS = 24


@pytest.fixture(scope="module", autouse=True)
def nothing_proved(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(CACHE_VARIABLE, str(tmp_path_factory.mktemp("proofs")))
        yield


@pytest.fixture(scope="module")
def proving(nothing_proved: None) -> Iterator[Missions]:
    """Missions as a server has them that has started."""
    missions = Missions()
    missions.open()
    yield missions
    missions.close()


@pytest.fixture
def unproved_url(nothing_proved: None, serving: Callable[..., Any]) -> Iterator[str]:
    yield from serving(build_app({}))


async def reset_all(url: str, answered: list[str]) -> float:
    """Reset every session to a mission of its own; answers the seconds that it took."""
    sockets = [await connect(url, proxy=None, open_timeout=60) for _ in range(SESSIONS)]

    async def reset(number: int) -> None:
        await sockets[number].send(f'{{"type": "reset", "data": {{"seed": {number}}}}}')
        answered.append(str(await sockets[number].recv()))

    begun = time.perf_counter()
    await asyncio.gather(*(reset(number) for number in range(SESSIONS)))
    took_s = time.perf_counter() - begun
    for socket in sockets:
        await socket.close()
    return took_s


async def ask_health(url: str, answered: list[str]) -> list[float]:
    """How long each health check took, s, until all the resets were answered."""
    waits = []
    async with httpx.AsyncClient(trust_env=False) as client:
        while len(answered) < SESSIONS:
            begun = time.perf_counter()
            assert (await client.get(url + "/health", timeout=60)).status_code == 200
            waits.append(time.perf_counter() - begun)
            await asyncio.sleep(0.02)
    return waits


def test_health_is_answered_while_missions_are_proved(unproved_url: str) -> None:
    async def both() -> tuple[float, list[float]]:
        answered: list[str] = []
        socket = unproved_url.replace("http://", "ws://") + "/ws"
        return await asyncio.gather(reset_all(socket, answered), ask_health(unproved_url, answered))

    took_s, waits = asyncio.run(both())
    assert len(waits) > 10
    assert statistics.median(waits) < took_s / 50


def test_a_mission_that_many_wait_for_is_proved_once(
    proving: Missions, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    submit = ProcessPoolExecutor.submit

    def counted(self: ProcessPoolExecutor, *given: Any, **named: Any) -> Any:
        asked.append(given)
        return submit(self, *given, **named)

    monkeypatch.setattr(ProcessPoolExecutor, "submit", counted)

    async def fly() -> list[Any]:
        sessions = [FlightRulesEnvironment(proving) for _ in range(8)]
        return await asyncio.gather(*(each.reset_async(seed=5005) for each in sessions))

    seen = asyncio.run(fly())
    assert len(asked) == 1
    assert all(each == seen[0] for each in seen)


def test_both_ways_of_resetting_give_the_same_flight(proving: Missions) -> None:
    options = {"split": "test", "index": 7, "level": "retarget", "tightness": 0.9}
    aside = asyncio.run(FlightRulesEnvironment(proving).reset_async(**options))
    assert aside == FlightRulesEnvironment().reset(**options)


def test_a_mission_that_cannot_be_had_is_refused_the_same(proving: Missions) -> None:
    impossible = Place("mission_ops", "test", 3, Knobs(horizon_s=1000))
    with pytest.raises(MissionError) as here:
        Missions().flight(impossible)
    with pytest.raises(MissionError) as aside:
        asyncio.run(proving.flight_async(impossible))
    assert str(here.value) == str(aside.value)


def test_a_process_that_is_killed_over_a_proof_is_replaced(proving: Missions) -> None:
    async def fly() -> Any:
        await proving.flight_async(Place("detumble", "train", 6001))
        assert proving._pool is not None
        for pid in list(proving._pool._processes):
            os.kill(pid, signal.SIGKILL)
        return await proving.flight_async(Place("detumble", "train", 6002, AS_DRAWN))

    assert asyncio.run(fly()).decisions == 0


def test_the_processes_end_with_a_server_that_is_killed(tmp_path: Path) -> None:
    """Its processes hold its pipes open: without a watch of their own they wait for ever."""
    source = """
import asyncio
from flightrules.server.missions import Missions, Place
if __name__ == "__main__":
    missions = Missions()
    missions.open()
    asyncio.run(missions.flight_async(Place("detumble", "train", 999)))
    print(*missions._pool._processes, flush=True)
    import time; time.sleep(600)
"""
    (tmp_path / "server_of_two.py").write_text(source)
    command = [sys.executable, str(tmp_path / "server_of_two.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        pids = [int(pid) for pid in server.stdout.readline().split()]
        server.kill()
    assert pids
    deadline = time.monotonic() + 30
    while any(Path(f"/proc/{pid}/cmdline").exists() for pid in pids):
        assert time.monotonic() < deadline, "a process outlived its server"
        time.sleep(0.05)
