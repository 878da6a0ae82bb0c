"""Episodes over Ray: batches of tasks, flown by workers that each have an environment of their own.

The cluster is the one that ``RAY_ADDRESS`` names, Ray's own variable for it, or one that is started on this machine
and ends with the flight. Every worker occupies one CPU and one process of the environment, and opens the run by
itself: in the driver's working directory, with its target, models and reward as files. What it finds there, and the
packages that it has, must be the driver's, or it flies nothing: two versions in one record would be neither.

A batch comes back whole and its episodes are handed on then, to be kept. A worker that is killed, or whose node is,
is started again by Ray, elsewhere if need be, and flies its batch again: nothing that came back is lost, and what is
flown twice is flown alike. After :data:`RESTARTS` of its deaths something else is wrong, and the flight ends.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import ActorDiedError, RayError, RayTaskError

from gonogo.adapters.fleet import Solo
from gonogo.adapters.policies import locate
from gonogo.adapters.sources import source_of
from gonogo.adapters.targets import UrlTarget, resolve
from gonogo.config import RunConfig
from gonogo.errors import EnvironmentFailure, GonogoError, Misuse, StaleRecord
from gonogo.records import provenance, reward_hash, source_hash
from gonogo.rollout.episodes import Episode
from gonogo.rollout.protocols import Json

__all__ = ["RayFleet"]

RESTARTS = 3
"""Times that Ray starts a dead worker again."""
ROUNDS = 4
"""Batches for each worker: more lose less work with a worker, and wait more often for a batch's last episode."""
CLOSE_S = 10.0


class RayFleet:
    """Flies a run's policies over Ray; a :class:`~gonogo.adapters.fleet.Fleet`.

    Args:
        run: The config.

    Raises:
        Misuse: The target is a server, which the workers would have to share.
        EnvironmentFailure: There is no cluster, and none could be started.
    """

    def __init__(self, run: RunConfig) -> None:
        target = resolve(run.target)
        if isinstance(target, UrlTarget):
            raise Misuse(
                f"--ray gives every worker an environment of its own, and {target} is one server: "
                "give its folder or package.module:EnvironmentClass instead"
            )
        self._run = run
        self._ours = not ray.is_initialized()
        if self._ours:
            join()
        self._count = max(1, int(ray.available_resources().get("CPU", 1)))
        self._workers: list[Any] = []

    def fly(
        self, policy: str, tasks: Mapping[int, Json], on_episode: Callable[[Episode], None]
    ) -> list[Episode]:
        """Fly every task once.

        Args:
            policy: Its name.
            tasks: Reset options by the episodes' indices.
            on_episode: Called with each episode of a batch when the batch is back.

        Returns:
            The episodes in the order of the tasks, lost ones included.

        Raises:
            StaleRecord: A worker's files or packages are not this process's.
            PolicyFailure: The policy failed.
            EnvironmentFailure: A worker could not open the environment, or died once too often.
        """
        means = means_of(self._run, policy)
        waiting = deque(batches(tasks, self._count, self._run.rollout.slots))
        while len(self._workers) < min(self._count, len(waiting)):
            self._workers.append(start_worker(self._run))
        busy = {
            worker.fly.remote(policy, waiting.popleft(), means): worker
            for worker in self._workers[: len(waiting)]
        }
        flown: dict[int, Episode] = {}
        while busy:
            (back,), _ = ray.wait(list(busy), num_returns=1)
            worker = busy.pop(back)
            if waiting:  # it flies on while its batch is read
                busy[worker.fly.remote(policy, waiting.popleft(), means)] = worker
            for line in received(back):
                episode = Episode.from_json(line)
                flown[episode.index] = episode
                on_episode(episode)
        return [flown[index] for index in tasks]

    def close(self) -> None:
        """End the workers with what they started, and the cluster where it was started for this flight."""
        if not ray.is_initialized():
            return
        if self._workers:
            ends = [worker.close.options(max_task_retries=0).remote() for worker in self._workers]
            ray.wait(ends, num_returns=len(ends), timeout=CLOSE_S)
        # One that is in the middle of a batch ends here, and its environment with its pipe.
        for worker in self._workers:
            ray.kill(worker)
        self._workers = []
        if self._ours:
            ray.shutdown()


class Worker:
    """What runs in a process of Ray's: opens the run when it is first asked to fly, so that errors come as answers.

    Args:
        run: The config, with paths from the folder.
        folder: The driver's working directory.
    """

    def __init__(self, run: RunConfig, folder: str) -> None:
        self._run, self._folder = run, folder
        self._solo: Solo | None = None
        self._known: Json = {}

    def fly(self, policy: str, tasks: dict[int, Json], means: Json) -> list[str]:
        """Fly a batch.

        Args:
            policy: Its name.
            tasks: Reset options by the episodes' indices.
            means: What the episodes depend on, as the driver sees it.

        Returns:
            The episodes as lines of JSON, in the order of the tasks.
        """
        self._compare(policy, means)
        if self._solo is None:
            self._solo = Solo(self._run)
        return [episode.to_json() for episode in self._solo.fly(policy, tasks, ignore)]

    def close(self) -> None:
        """End the policy and the environment."""
        if self._solo is not None:
            self._solo.close()
            self._solo = None

    def _compare(self, policy: str, means: Json) -> None:
        """Hold what is found here against what the driver has; once for each policy."""
        node = ray.util.get_node_ip_address()
        if policy not in self._known:
            try:
                os.chdir(self._folder)
            except OSError as error:
                raise Misuse(
                    f"{self._folder} is not on the Ray node {node} ({error}): the nodes need the "
                    "run's files at the same place, as on a shared file system"
                ) from None
            self._known[policy] = means_of(self._run, policy)
        known = self._known[policy]
        if other := [name for name, value in means.items() if known[name] != value]:
            name = other[0]
            raise StaleRecord(
                f"the Ray node {node} has another {', '.join(other)} than the driver: "
                f"{known[name]!r} and not {means[name]!r}"
            )


def join() -> None:
    """Connect to the cluster that ``RAY_ADDRESS`` names, or start one on this machine.

    Raises:
        EnvironmentFailure: It cannot be had.
    """
    address = os.environ.get("RAY_ADDRESS") or "local"
    try:
        ray.init(
            address=address,
            include_dashboard=False if address == "local" else None,
            logging_level="error",
            log_to_driver=False,
        )
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        raise EnvironmentFailure(f"no Ray cluster at {address}: {error}") from None


def start_worker(run: RunConfig) -> Any:
    """The handle of a worker in a process of its own; it may still wait for a CPU."""
    worker = ray.remote(num_cpus=1, max_restarts=RESTARTS, max_task_retries=RESTARTS)(Worker)
    return worker.remote(run, str(Path.cwd()))


def received(answer: Any) -> list[str]:
    """A batch's lines.

    Raises:
        GonogoError: What the worker raised on purpose.
        EnvironmentFailure: The worker has died for the last time.
    """
    try:
        lines: list[str] = ray.get(answer)
    except RayTaskError as error:
        if isinstance(error.cause, GonogoError):
            raise error.cause from None
        raise
    except ActorDiedError as error:
        raise EnvironmentFailure(
            f"a Ray worker died {RESTARTS + 1} times, or could not be started: {error}; what has "
            "come back is kept, so the same command goes on from there"
        ) from None
    except RayError as error:
        raise EnvironmentFailure(f"the Ray cluster failed: {error}") from None
    return lines


def means_of(run: RunConfig, policy: str) -> Json:
    """What a policy's episodes depend on beside the config, as it is found on this machine."""
    target = resolve(run.target)
    model = locate(policy, target, run.trained_in / "models")
    return {
        "source": source_of(target),
        "reward": reward_hash(run.reward),
        "model": None if model is None else source_hash(model),
        "packages": provenance()["packages"],
    }


def batches(tasks: Mapping[int, Json], workers: int, slots: int) -> Iterator[dict[int, Json]]:
    """Cut tasks into batches, in order: :data:`ROUNDS` for each worker, of no more tasks than slots."""
    listed = list(tasks.items())
    size = max(1, min(slots, -(-len(listed) // (workers * ROUNDS))))
    for start in range(0, len(listed), size):
        yield dict(listed[start : start + size])


def ignore(_: Episode) -> None:
    """Episodes are handed on by the batch."""
