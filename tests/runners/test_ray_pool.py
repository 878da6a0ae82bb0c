"""Workers of a real local Ray cluster: started again when they are killed, given up when they always die, none left."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="the ray extra is not installed")

from tests.runners.flying import flown, run_of
from tests.runners.ray_cluster import cluster, workers

from gonogo.env.environment import Env
from gonogo.errors import EnvironmentFailure
from gonogo.rollouts.episodes import Episode
from gonogo.runners.ray_pool import RESTARTS
from gonogo.runners.runner import RayRunner

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def _cluster() -> Iterator[None]:
    with cluster():
        yield


def test_a_worker_killed_in_the_middle_loses_nothing(slow_grid: Path, tmp_path: Path) -> None:
    run = run_of(slow_grid, tmp_path, **{"evaluation.episodes": 48})
    tasks = dict(enumerate(run.evaluation.tasks()))
    killed: list[int] = []
    handed: list[int] = []

    def on_episode(episode: Episode) -> None:
        handed.append(episode.index)
        if killed:
            return
        deadline = time.monotonic() + 20
        while not killed and time.monotonic() < deadline:
            killed.extend(workers(".do"))
        for pid in killed:
            os.kill(pid, signal.SIGKILL)

    with closing(RayRunner(run, Env.of(run))) as runner:
        over_ray = runner.fly("random", tasks, on_episode)
    assert killed
    assert sorted(handed) == list(tasks)
    assert [episode.error for episode in over_ray] == [None] * len(tasks)
    assert [episode.to_json() for episode in over_ray] == flown(run)


def test_workers_that_always_die_end_the_flight(slow_grid: Path, tmp_path: Path) -> None:
    run = run_of(slow_grid, tmp_path, **{"evaluation.episodes": 200, "rollout.slots": 64})
    tasks = dict(enumerate(run.evaluation.tasks()))
    landed = threading.Event()

    def kill_all() -> None:
        while not landed.wait(0.2):
            for pid in workers(".do"):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    assassin = threading.Thread(target=kill_all)
    assassin.start()
    try:
        with (
            closing(RayRunner(run, Env.of(run))) as runner,
            pytest.raises(EnvironmentFailure) as caught,
        ):
            runner.fly("random", tasks, lambda _: None)
    finally:
        landed.set()
        assassin.join()
    assert f"died {RESTARTS + 1} times" in str(caught.value)


def test_nothing_is_left_running(gridworld: Path, tmp_path: Path) -> None:
    flown(run_of(gridworld, tmp_path, **{"evaluation.episodes": 8}), over_ray=True)
    deadline = time.monotonic() + 20
    while workers() and time.monotonic() < deadline:
        time.sleep(0.2)
    assert workers() == []
