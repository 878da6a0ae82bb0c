"""Work over Ray: parts of it, done by workers that each hold what it needs in a process of their own.

The cluster is the one that ``RAY_ADDRESS`` names, Ray's own variable for it, or one that is started on this machine
and ends with the work. Every worker occupies one CPU, and opens the run by itself: in the driver's working directory,
with its target, models and reward as files. What it finds there, and the packages that it has, must be the driver's,
or it does nothing: two versions in one record would be neither.

A worker that is killed, or whose node is, is started again by Ray, elsewhere if need be, and does its part again:
nothing that came back is lost. After :data:`RESTARTS` of its deaths something else is wrong, and the work ends.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import ray
from ray.exceptions import ActorDiedError, RayError, RayTaskError

from gonogo.errors import EnvironmentFailure, GonogoError, Misuse, StaleRecord
from gonogo.records.provenance import Fingerprint

RESTARTS = 3
"""Times that Ray starts a dead worker again."""
CLOSE_S = 10.0

PartT = TypeVar("PartT")
AnswerT = TypeVar("AnswerT")
PartIn_contra = TypeVar("PartIn_contra", contravariant=True)
AnswerOut_co = TypeVar("AnswerOut_co", covariant=True)


class WorkHandler(Protocol[PartIn_contra, AnswerOut_co]):
    """What works in a worker's process. What goes in and comes out is pickled."""

    def means(self, part: PartIn_contra) -> Fingerprint:
        """What the part's answer depends on beside the config, as it is found on this machine; asked for each part."""
        ...

    def do(self, part: PartIn_contra) -> AnswerOut_co:
        """Do a part."""
        ...

    def close(self) -> None:
        """End what was started. Safe to call twice."""
        ...


class RayPool(Generic[PartT, AnswerT]):
    """Workers of a cluster, which share some work.

    Args:
        make: Makes what works, in each worker's process and in the driver's working directory.

    Attributes:
        size: How many workers there can be.

    Raises:
        EnvironmentFailure: There is no cluster, and none could be started.
    """

    def __init__(self, make: Callable[[], WorkHandler[PartT, AnswerT]]) -> None:
        self._make = make
        self._ours = not ray.is_initialized()
        if self._ours:
            join()
        self.size = max(1, int(ray.available_resources().get("CPU", 1)))
        self._idle: list[Any] = []
        self._busy: dict[Any, tuple[Any, int]] = {}

    def work(self, parts: Iterable[PartT], means: Fingerprint) -> Iterator[tuple[int, AnswerT]]:
        """Have every part done, as many at once as there are workers.

        Args:
            parts: The parts.
            means: What the answers depend on beside the config, as the driver sees it.

        Yields:
            Each part's place among the parts and its answer, in the order in which they come back.

        Raises:
            GonogoError: What a worker raised on purpose.
            StaleRecord: A worker's files or packages are not this process's.
            EnvironmentFailure: A worker died once too often, or the cluster failed.
        """
        waiting = deque(enumerate(parts))
        self._abandon()

        def begin(worker: Any) -> None:
            place, part = waiting.popleft()
            self._busy[worker.do.remote(part, means)] = worker, place

        while len(self._idle) < min(self.size, len(waiting)):
            self._idle.append(self._start())
        while waiting and self._idle:
            begin(self._idle.pop())
        while self._busy:
            (back,), _ = ray.wait(list(self._busy), num_returns=1)
            worker, place = self._busy.pop(back)
            if waiting:  # it works on while its answer is read
                begin(worker)
            else:
                self._idle.append(worker)
            yield place, received(back)

    def close(self) -> None:
        """End the workers with what they started, and the cluster where it was started for this work."""
        if not ray.is_initialized():
            return
        if self._idle:
            ends = [worker.close.options(max_task_retries=0).remote() for worker in self._idle]
            ray.wait(ends, num_returns=len(ends), timeout=CLOSE_S)
        for worker in self._idle:
            ray.kill(worker)
        self._idle = []
        self._abandon()
        if self._ours:
            ray.shutdown()

    def _abandon(self) -> None:
        """End the workers that are in the middle of a part, as those of work that failed are."""
        for worker, _ in self._busy.values():
            ray.kill(worker)  # what it started ends with its pipe
        self._busy = {}

    def _start(self) -> Any:
        """The handle of a worker in a process of its own; it may still wait for a CPU."""
        worker = ray.remote(num_cpus=1, max_restarts=RESTARTS, max_task_retries=RESTARTS)(RayWorker)
        return worker.remote(self._make, str(Path.cwd()))


class RayWorker:
    """What runs in a process of Ray's: makes its factory when first asked to work, so that errors come as answers.

    Args:
        make: Makes what works.
        folder: The driver's working directory.
    """

    def __init__(self, make: Callable[[], WorkHandler[Any, Any]], folder: str) -> None:
        self._make, self._folder = make, folder
        self._handler: WorkHandler[Any, Any] | None = None

    def do(self, part: Any, means: Fingerprint) -> Any:
        """Do a part.

        Args:
            part: The part.
            means: What its answer depends on, as the driver sees it.
        """
        node = ray.util.get_node_ip_address()
        if self._handler is None:
            try:
                os.chdir(self._folder)
            except OSError as error:
                raise Misuse(
                    f"{self._folder} is not on the Ray node {node} ({error}): the nodes need the "
                    "run's files at the same place, as on a shared file system"
                ) from None
            self._handler = self._make()
        known = self._handler.means(part)
        if other := known.changed(means):
            here, there = (getattr(each, other[0]) for each in (known, means))
            raise StaleRecord(
                f"the Ray node {node} has another {', '.join(other)} than the driver: "
                f"{here!r} and not {there!r}"
            )
        return self._handler.do(part)

    def close(self) -> None:
        """End what the factory started."""
        if self._handler is not None:
            self._handler.close()


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


def received(answer: Any) -> Any:
    """What a worker answered.

    Raises:
        GonogoError: What the worker raised on purpose.
        EnvironmentFailure: The worker has died for the last time.
    """
    try:
        return ray.get(answer)
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
