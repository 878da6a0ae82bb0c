"""Steps a second over a WebSocket: flightrules against OpenEnv's template echo environment.

Each is served by uvicorn in a process of its own, and all are stepped by the same client in this one, in
turns, so that a busy machine slows all of them: by one socket of openenv's client, and by 64 sockets at once
that send and read text, so that the server is what is measured. The echo environment is made by `openenv
init` from the installed openenv, allowed 64 sessions. flightrules flies decisions of 10 s, a mission of its
own on each of the 64 sockets, resets at the end of each episode included. What the server's process computes
a step, its user CPU, is told beside the rates: other processes disturb it less.

flightrules is compared twice. `echo` is served as its image serves it: its messages are compressed, those of
flightrules are not, as the two Dockerfiles have it. `echo alike` is the same environment served exactly as
flightrules is, without compression: what flying a decision costs, and nothing else. The first ratio is the one
to reach.

    python benchmarks/transport.py          exits with 1 where the ratio is under the figure to reach
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass, replace
from operator import truediv
from pathlib import Path
from typing import Any

from openenv.core import GenericEnvClient
from websockets.asyncio.client import ClientConnection, connect

ROOT = Path(__file__).resolve().parents[1]
ROUNDS, STEPS = 7, 1500
"""Turns that each environment gets, and steps in a turn."""
SOCKETS, EACH = 64, 40
"""Sockets at once, and steps of each in a turn."""
WANTED = 0.5
"""The ratio of flightrules' rate to the echo's to reach, by one socket and by all."""
UNCOMPRESSED = ("--ws-per-message-deflate", "false")
"""How flightrules' Dockerfile has uvicorn serve it."""


@dataclass(frozen=True)
class Subject:
    """An environment to serve and to step.

    Attributes:
        name: Its name in the table.
        app: Import path of its application.
        folder: Folder that its package lies in.
        reset: Reset options.
        action: The action of every step.
        serving: What its Dockerfile gives uvicorn beside host and port.
    """

    name: str
    app: str
    folder: Path
    reset: dict[str, Any]
    action: dict[str, Any]
    serving: tuple[str, ...] = ()


@dataclass(frozen=True)
class Served:
    """An environment that is served.

    Attributes:
        url: Where.
        pid: Its process.
    """

    url: str
    pid: int

    @property
    def computed_s(self) -> float:
        """User CPU that its process took so far, s."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) / os.sysconf("SC_CLK_TCK")


def subjects(scratch: Path) -> list[Subject]:
    """flightrules, an echo environment made from the template in `scratch`, and the same served as flightrules."""
    command = [
        sys.executable,
        "-m",
        "openenv.cli",
        "init",
        "echo_bench",
        "--output-dir",
        str(scratch),
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    app = scratch / "echo_bench" / "server" / "app.py"
    app.write_text(
        app.read_text().replace("max_concurrent_envs=1,", f"max_concurrent_envs={SOCKETS},")
    )
    decision = {"burn": "roll-small", "mode": "detumble", "coast_s": 10}
    task = {"seed": 1, "level": "retarget"}
    echo = Subject("echo", "echo_bench.server.app:app", scratch, {}, {"message": "roll-small"})
    ours = "flightrules.server.app:app"
    return [
        Subject("flightrules", ours, ROOT / "envs", task, decision, UNCOMPRESSED),
        echo,
        replace(echo, name="echo alike", serving=UNCOMPRESSED),
    ]


@contextmanager
def serving(subject: Subject) -> Iterator[Served]:
    """Serve an environment.

    Raises:
        RuntimeError: If it is not healthy within two minutes.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "uvicorn",
        subject.app,
        "--port",
        str(port),
        "--log-level",
        "error",
        *subject.serving,
    ]
    paths = os.pathsep.join(filter(None, [str(subject.folder), os.environ.get("PYTHONPATH")]))
    process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": paths})
    try:
        _wait_until_healthy(f"http://127.0.0.1:{port}/health", process)
        yield Served(f"http://127.0.0.1:{port}", process.pid)
    finally:
        process.terminate()
        process.wait(timeout=30)


def _wait_until_healthy(url: str, process: subprocess.Popen[bytes]) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + 120.0
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with opener.open(url, timeout=1):
                return
        except urllib.error.URLError:
            time.sleep(0.1)
    raise RuntimeError(f"no healthy server at {url}")


async def steps_per_second(client: GenericEnvClient, subject: Subject) -> float:
    """One turn of an environment, its resets included."""
    begun = time.perf_counter()
    await client.reset(**subject.reset)
    for _ in range(STEPS):
        result = await client.step(subject.action)
        if result.done:
            await client.reset(**subject.reset)
    return STEPS / (time.perf_counter() - begun)


async def measure(urls: list[str], served: list[Subject]) -> list[list[float]]:
    """Steps a second of each environment, turn by turn; a first turn warms up and does not count."""
    clients = [GenericEnvClient(base_url=url) for url in urls]
    rates: list[list[float]] = [[] for _ in served]
    for turn in range(ROUNDS + 1):
        for place, (client, subject) in enumerate(zip(clients, served, strict=True)):
            rate = await steps_per_second(client, subject)
            if turn:
                rates[place].append(rate)
    for client in clients:
        await client.close()
    return rates


async def fly(socket: ClientConnection, reset: str, step: str) -> None:
    """`EACH` steps of one socket, its resets included."""
    for message in (reset, *[step] * EACH):
        await socket.send(message)
        if '"done":true' in str(await socket.recv()):
            await socket.send(reset)
            await socket.recv()


async def measure_many(urls: list[str], served: list[Subject]) -> list[list[float]]:
    """The same as `measure` by `SOCKETS` sockets at once."""
    rates: list[list[float]] = [[] for _ in served]
    async with AsyncExitStack() as stack:
        sockets = [
            [
                await stack.enter_async_context(
                    connect(url.replace("http", "ws", 1) + "/ws", proxy=None, open_timeout=60)
                )
                for _ in range(SOCKETS)
            ]
            for url in urls
        ]
        for turn in range(ROUNDS + 1):
            for place, subject in enumerate(served):
                step = json.dumps({"type": "step", "data": subject.action})
                begun = time.perf_counter()
                async with asyncio.TaskGroup() as flights:
                    for number, socket in enumerate(sockets[place]):
                        seed = {"seed": number} if subject.reset else {}
                        reset = {"type": "reset", "data": {**subject.reset, **seed}}
                        flights.create_task(fly(socket, json.dumps(reset), step))
                if turn:
                    rates[place].append(SOCKETS * EACH / (time.perf_counter() - begun))
    return rates


def report(served: list[Subject], rates: list[list[float]]) -> float:
    """Print the rates, and the ratio of the first one's to each of the others; the first ratio."""
    for subject, measured in zip(served, rates, strict=True):
        middle = statistics.median(measured)
        print(
            f"{subject.name:12s} {middle:8.0f} steps/s (from {min(measured):.0f} to {max(measured):.0f})"
        )
    ours, *others = rates
    ratios = [statistics.median(map(truediv, ours, other)) for other in others]
    _print_ratios(served, ratios, f" (to reach: {WANTED})")
    return ratios[0]


def report_computed(served: list[Subject], computed_s: list[float]) -> None:
    """Print what the servers computed a step of 64 sockets, and the ratios."""
    steps = (ROUNDS + 1) * SOCKETS * EACH
    for subject, took_s in zip(served, computed_s, strict=True):
        print(f"{subject.name:12s} {took_s / steps * 1e6:8.0f} us of user CPU a step")
    ours, *others = computed_s
    _print_ratios(served, [other / ours for other in others])


def _print_ratios(served: list[Subject], ratios: list[float], first: str = "") -> None:
    for subject, ratio, note in zip(served[1:], ratios, (first, ""), strict=True):
        print(f"of {subject.name:9s} {ratio:8.2f}{note}")


def main() -> int:
    """Measure and print; 1 where a ratio is under `WANTED`."""
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        served = subjects(Path(scratch))
        servers = [stack.enter_context(serving(subject)) for subject in served]
        urls = [server.url for server in servers]
        print("one socket")
        ratios = [report(served, asyncio.run(measure(urls, served)))]
        print(f"{SOCKETS} sockets")
        before = [server.computed_s for server in servers]
        ratios.append(report(served, asyncio.run(measure_many(urls, served))))
        took_s = [server.computed_s - was for server, was in zip(servers, before, strict=True)]
        report_computed(served, took_s)
    return 0 if min(ratios) >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
