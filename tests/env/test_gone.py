"""A server that goes, falls silent or comes back; a process that dies at every reset or first step: what is lost."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from gonogo import api
from gonogo.config import EvaluationConfig, RolloutConfig, RunConfig
from gonogo.contract import check_env as station
from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.env.websocket import WebSocketConnection
from gonogo.errors import EnvironmentFailure, EnvironmentTimeout
from gonogo.records.contract import ContractReport
from gonogo.records.record import Verdict
from gonogo.rollouts.builtin_policies import IdlePolicy, ScriptedPolicy
from gonogo.rollouts.engine import LOSSES, Flight, Progress, fly
from gonogo.rollouts.episodes import Episode, read_episodes
from gonogo.rollouts.types import Failure, Reply, Transition

STAY = [Reply(action={"move": "stay"})] * 12
STARTUP_S = 4.0


class Server:
    """The gridworld's server, to be stopped, gone on with, killed and started again on its port."""

    def __init__(
        self, start: Callable[..., tuple[subprocess.Popen[bytes], str]], folder: Path
    ) -> None:
        self._start, self._folder = start, folder
        self.process, self.url = start(folder)

    def send(self, number: signal.Signals) -> None:
        os.killpg(self.process.pid, number)

    def kill(self) -> None:
        self.send(signal.SIGKILL)
        self.process.wait()

    def restart(self) -> None:
        port = urlsplit(self.url).port
        self.process, _ = self._start(self._folder, port=port)


@pytest.fixture(scope="module")
def server(
    start_server: Callable[..., tuple[subprocess.Popen[bytes], str]], gridworld: Path
) -> Iterator[Server]:
    """Running at the beginning and the end of each test."""
    server = Server(start_server, gridworld)
    yield server
    server.kill()


def test_a_server_that_comes_back_costs_what_was_in_the_air(server: Server) -> None:
    connection = connect(resolve(server.url), 8, RolloutConfig(timeout_s=30, startup_s=120))
    restarting = threading.Thread(target=server.restart)
    flying: list[int] = []

    def kill_once(progress: Progress) -> None:
        if progress.episodes >= 8 and progress.flying and not flying:
            flying.append(progress.flying)
            server.kill()
            restarting.start()

    tasks = [{"seed": i} for i in range(40)]
    try:
        flight = Flight("grid", max_turns=3)
        policy = ScriptedPolicy([STAY] * len(tasks))
        episodes = fly(connection, policy, tasks, flight, on_progress=kill_once)
    finally:
        connection.close()
        restarting.join()
    lost = [episode for episode in episodes if episode.error is not None]
    assert len(episodes) == 40 and flying == [8]
    assert len(lost) == 8
    assert all("socket was lost" in str(episode.error) for episode in lost)


def test_a_socket_that_was_closed_between_two_episodes_costs_none(server: Server) -> None:
    """As servers do that end idle sessions."""
    connection = connect(resolve(server.url), 2, RolloutConfig(startup_s=120))
    try:
        assert all(
            e.error is None
            for e in fly(connection, ScriptedPolicy([STAY] * 2), [{}, {}], Flight("g"))
        )
        server.kill()
        server.restart()
        assert all(
            e.error is None
            for e in fly(connection, ScriptedPolicy([STAY] * 2), [{}, {}], Flight("g"))
        )
    finally:
        connection.close()


def test_a_server_that_does_not_come_back_ends_the_flight(server: Server) -> None:
    connection = connect(resolve(server.url), 2, RolloutConfig(startup_s=1))
    ended: list[Episode] = []

    def kill(progress: Progress) -> None:
        if progress.episodes == 2:
            server.kill()

    try:
        with pytest.raises(
            EnvironmentTimeout, match=r"the server is gone.*8 of 10 episodes are left"
        ):
            fly(
                connection, ScriptedPolicy([STAY] * 10), [{}] * 10, Flight("g", max_turns=2),
                on_episode=ended.append, on_progress=kill,
            )  # fmt: skip
    finally:
        connection.close()
        server.restart()
    assert [episode.error is None for episode in ended] == [True] * 2 + [False] * (len(ended) - 2)


@pytest.mark.long
@pytest.mark.parametrize("timeout_s", [1.0, pytest.param(60.0, marks=pytest.mark.long)])
def test_a_server_that_falls_silent_ends_the_run_and_resuming_loses_nothing(
    server: Server, tmp_path: Path, timeout_s: float
) -> None:
    """It neither answers nor closes, whether a step may take less or more time than its start."""
    run = RunConfig(
        target=server.url,
        out=tmp_path,
        rollout=RolloutConfig(slots=4, timeout_s=timeout_s, startup_s=STARTUP_S),
        evaluation=EvaluationConfig(split="test", episodes=800, policies=("idle",)),
    )
    file = tmp_path / "episodes.jsonl"
    stopped: list[float] = []

    def stop_soon() -> None:
        while not file.exists() or file.read_bytes().count(b"\n") < 20:
            time.sleep(0.02)
        server.send(signal.SIGSTOP)
        stopped.append(time.monotonic())

    watcher = threading.Thread(target=stop_soon)
    watcher.start()
    with pytest.raises(
        EnvironmentTimeout, match=r"the server is gone.*of 800 episodes are left to fly"
    ):
        api.rollout(run, file=file)
    took_s = time.monotonic() - stopped[0]
    watcher.join()
    server.send(signal.SIGCONT)
    assert took_s < 3 * STARTUP_S
    kept = [e for e in read_episodes(file) if e.error is None]
    assert 20 <= len(kept) < 800
    assert not api.rollout(run, file=file).lost
    assert sorted(e.index for e in read_episodes(file)) == list(range(800))


def test_a_process_that_dies_at_every_reset_ends_the_flight() -> None:
    connection = connect(resolve("tests.zoo.single:Mortal"), 4)
    policy = IdlePolicy(connection.schemas.action)
    ended: list[Episode] = []
    tasks = [{"seed": seed} for seed in [0, 1, *[2] * 50]]
    try:
        with pytest.raises(
            EnvironmentFailure, match=rf"{LOSSES} times in a row.*50 of 52 episodes"
        ):
            fly(connection, policy, tasks, Flight("m", slots=1), on_episode=ended.append)
    finally:
        connection.close()
    assert [episode.error is None for episode in ended] == [True, True] + [False] * LOSSES


def test_losses_that_something_answers_between_end_nothing() -> None:
    connection = connect(resolve("tests.zoo.single:Mortal"), 4)
    policy = IdlePolicy(connection.schemas.action)
    tasks = [{"seed": seed} for seed in [2, 0, 2, 2, 1, 2, 2]]
    try:
        episodes = fly(connection, policy, tasks, Flight("m", slots=1))
    finally:
        connection.close()
    assert [e.error is None for e in episodes] == [task["seed"] < 2 for task in tasks]


def fly_fragile(
    seeds: list[int], ended: list[Episode], *, slots: int, gives_up: bool
) -> list[Episode]:
    """Fly what dies at the first step after a reset with any seed but 0 and 1."""
    connection = connect(resolve("tests.zoo.single:Fragile"), 4)
    flight = Flight("m", slots=slots, gives_up=gives_up)
    policy = IdlePolicy(connection.schemas.action)
    try:
        tasks = [{"seed": seed} for seed in seeds]
        return fly(connection, policy, tasks, flight, on_episode=ended.append)
    finally:
        connection.close()


def test_a_process_that_dies_at_every_first_step_ends_the_flight() -> None:
    """Its resets are answered, which says nothing of its steps."""
    slots = 4
    ended: list[Episode] = []
    whole = [0] * slots
    with pytest.raises(EnvironmentFailure, match=rf"{LOSSES} times in a row.*50 of .* episodes"):
        fly_fragile([*whole, *[2] * 50], ended, slots=slots, gives_up=True)
    lost = [False] * LOSSES * slots
    assert [episode.error is None for episode in ended] == [True] * slots + lost


def test_first_steps_that_are_lost_end_nothing_where_one_is_answered_between() -> None:
    seeds = [2, 2, 0, 2, 2]
    episodes = fly_fragile(seeds, [], slots=1, gives_up=True)
    assert [e.error is None for e in episodes] == [seed < 2 for seed in seeds]


def test_what_breaks_an_environment_on_purpose_flies_on() -> None:
    episodes = fly_fragile([2] * (LOSSES + 1), [], slots=1, gives_up=False)
    assert len(episodes) == LOSSES + 1 and all(episode.error is not None for episode in episodes)


def test_a_rollout_of_what_dies_at_every_first_step_is_held(tmp_path: Path) -> None:
    """It ends after a few of its 800 tasks."""
    run = RunConfig(
        target="tests.zoo.single:Fragile",
        out=tmp_path,
        rollout=RolloutConfig(slots=1),
        evaluation=EvaluationConfig(start=2, episodes=800, policies=("idle",)),
    )
    file = tmp_path / "episodes.jsonl"
    with pytest.raises(EnvironmentFailure, match="800 of 800 episodes are left to fly"):
        api.rollout(run, file=file)
    assert len(list(read_episodes(file))) == LOSSES


def at_step(
    monkeypatch: pytest.MonkeyPatch, number: int, happens: Callable[[], None]
) -> list[float]:
    """Let something happen just before a step is sent; answers when it did."""
    step, sent, happened = WebSocketConnection.step, itertools.count(), list[float]()

    def stepping(
        self: WebSocketConnection, actions: Mapping[int, dict[str, object]]
    ) -> dict[int, Transition | Failure]:
        if next(sent) == number:
            happens()
            happened.append(time.monotonic())
        return step(self, actions)

    monkeypatch.setattr(WebSocketConnection, "step", stepping)
    return happened


@pytest.mark.long
@pytest.mark.parametrize("timeout_s", [1.0, 60.0])
def test_a_server_that_falls_silent_breaks_no_contract(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, timeout_s: float
) -> None:
    """What answers not even for its health is gone: nothing is said of the environment."""
    stopped = at_step(monkeypatch, 20, lambda: server.send(signal.SIGSTOP))
    rollout = RolloutConfig(timeout_s=timeout_s, startup_s=STARTUP_S)
    run = RunConfig(target=server.url, out=tmp_path, rollout=rollout)
    try:
        with pytest.raises(EnvironmentTimeout, match=r"the server is gone.*give the same command"):
            station.run(run)
        took_s = time.monotonic() - stopped[0]
    finally:
        server.send(signal.SIGCONT)
    assert took_s < 3 * STARTUP_S
    assert not ContractReport.path(tmp_path).exists()


def test_a_server_that_is_ended_under_a_map_breaks_no_contract(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def again() -> None:
        server.kill()
        server.restart()

    happened = at_step(monkeypatch, 20, again)
    run = RunConfig(target=server.url, out=tmp_path, rollout=RolloutConfig(startup_s=120))
    assert station.run(run) is Verdict.HOLD  # a URL hides the source
    record = ContractReport.load(tmp_path)
    assert happened and record.findings == ()
    assert any("mapped twice; the first time: not so that" in note for note in record.notes)


def test_a_server_that_dies_by_an_action_is_a_finding_all_the_same(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It dies each time that it is mapped."""
    describe = station.describe

    def dying(*of: object) -> object:
        def again() -> None:
            server.kill()
            server.restart()

        with pytest.MonkeyPatch.context() as patch:
            at_step(patch, 20, again)
            return describe(*of)  # type: ignore[arg-type]

    monkeypatch.setattr(station, "describe", dying)
    run = RunConfig(target=server.url, out=tmp_path, rollout=RolloutConfig(startup_s=120))
    assert station.run(run) is Verdict.NO_GO
