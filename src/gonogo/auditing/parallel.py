"""The tasks of an audit, side by side: as many at once as the config says, or over Ray.

Each task is audited by processes of its own, so that a record depends neither on how many are audited at once nor
on where. Over Ray one worker audits a task from its beginning to its end, and writes the task's log where the driver
would. So a worker that is killed costs the flight that it was in: the one that does the task again reads the others.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict
from functools import cached_property, partial
from pathlib import Path

from gonogo.auditing.flight_log import FlightLog, fingerprint_of, log_in_use
from gonogo.auditing.progress import AuditProgress, TaskProgress
from gonogo.auditing.session import AuditContext
from gonogo.auditing.task import Outcome, audit_task
from gonogo.config import RunConfig
from gonogo.env.environment import Env
from gonogo.errors import Misuse
from gonogo.records.contract import ContractReport
from gonogo.records.provenance import AuditorFingerprint, provenance
from gonogo.runners.runner import check_ray
from gonogo.wire import TaskOptions

Numbered = tuple[int, TaskOptions]
"""A task's place among the audit's tasks, and its reset options."""


def audit_tasks(
    run: RunConfig,
    env: Env,
    card: ContractReport,
    tasks: Sequence[TaskOptions],
    seeds: Sequence[int],
    logs: Path,
    guides: Sequence[str] = (),
    *,
    over_ray: bool,
) -> list[Outcome]:
    """Audit every task.

    Args:
        run: The config.
        env: The environment.
        card: The map.
        tasks: Reset options of each task, without a seed.
        seeds: The survey's, then as many fresh ones.
        logs: The folder for the tasks' logs.
        guides: Names of policies, given to the environment as objects, that are meant to succeed.
        over_ray: Whether Ray's workers audit them, as many at once as there are, instead of this process.

    Returns:
        The outcomes in the tasks' order.

    Raises:
        MissingExtra: The ``ray`` extra is not installed.
        Misuse: The target cannot be audited over Ray.
        KeyboardInterrupt: The user ended it; what was flown is written down.
    """
    if over_ray:
        make = partial(Auditor, run, card, seeds, logs)
        return by_workers(run, make, tasks)
    auditor = Auditor(run, card, seeds, logs, env, guides)
    return by_threads(auditor, tasks, run.audit.jobs)


class Auditor:
    """Audits tasks of one run; what every worker of Ray's has, a :class:`~gonogo.runners.ray_pool.WorkHandler`.

    Args:
        run: The config, with paths from the working directory.
        card: The map.
        seeds: The survey's, then as many fresh ones.
        logs: The folder for the tasks' logs.
        env: The environment; None for the config's.
        guides: Names of policies, given to the environment as objects, that are meant to succeed.
    """

    def __init__(
        self,
        run: RunConfig,
        card: ContractReport,
        seeds: Sequence[int],
        logs: Path,
        env: Env | None = None,
        guides: Sequence[str] = (),
    ) -> None:
        self._run, self._card, self._seeds, self._logs = run, card, seeds, logs
        self._env, self._guides = env or Env.of(run), guides

    def audit(self, numbered: Numbered, part: TaskProgress) -> Outcome:
        """Audit a task.

        Args:
            numbered: The task.
            part: Its progress.

        Raises:
            Misuse: Another audit writes the task's log.
        """
        number, task = numbered
        path = self._logs / f"task-{number}.jsonl"
        with log_in_use(path, part.check):
            context = AuditContext(
                self._env, self._run, self._card, FlightLog(path), part, self._guides
            )
            return audit_task(context, task, self._seeds, number)

    def means(self, _: Numbered) -> AuditorFingerprint:
        """What the outcomes depend on."""
        return self._fingerprint

    @cached_property
    def _fingerprint(self) -> AuditorFingerprint:
        return auditor_fingerprint(self._run, self._env)

    def do(self, part: Numbered) -> Outcome:
        """Audit a task in a process of Ray's, where nobody watches.

        Raises:
            Misuse: The run's folder is not on this machine.
        """
        if not self._logs.is_dir():
            raise Misuse(
                f"{self._logs.resolve()} is not on the Ray node {platform.node()}: the nodes need the run's folder "
                "at the same place, as on a shared file system"
            )
        with closing(AuditProgress()) as watch:
            return self.audit(part, watch.part(task_name(part[1])))

    def close(self) -> None:
        """Nothing is left to end: a task's processes end with its audit."""


def by_threads(auditor: Auditor, tasks: Sequence[TaskOptions], jobs: int) -> list[Outcome]:
    """The outcomes of the tasks, so many at once by threads of this process."""
    with closing(AuditProgress()) as watch, ThreadPoolExecutor(jobs) as pool:

        def start(numbered: Numbered) -> Future[Outcome]:
            return pool.submit(auditor.audit, numbered, watch.part(task_name(numbered[1])))

        futures = [start(numbered) for numbered in enumerate(tasks)]
        try:
            return [future.result() for future in futures]
        finally:
            # Where one failed or was interrupted, the others end at their next step.
            watch.stop()
            pool.shutdown(wait=True, cancel_futures=True)


def by_workers(
    run: RunConfig, make: partial[Auditor], tasks: Sequence[TaskOptions]
) -> list[Outcome]:
    """The outcomes of the tasks, as many at once as Ray has workers; where one failed, the others are ended."""
    env = Env.of(run)
    check_ray(env)
    from gonogo.runners.ray_pool import RayPool

    pool: RayPool[Numbered, Outcome]
    with closing(AuditProgress("tasks")) as watch, closing(RayPool(make)) as pool:
        part = watch.part("over Ray")
        part.expect(len(tasks))
        outcomes: dict[int, Outcome] = {}
        for number, outcome in pool.work(enumerate(tasks), auditor_fingerprint(run, env)):
            outcomes[number] = outcome
            part.advance()
    return [outcomes[number] for number in range(len(tasks))]


def auditor_fingerprint(run: RunConfig, env: Env) -> AuditorFingerprint:
    """What a task's outcome depends on beside the config and the task, as it is found on this machine."""
    found = asdict(fingerprint_of(run, env))
    return AuditorFingerprint(**found, packages=provenance()["packages"])


def task_name(options: TaskOptions) -> str:
    """A task's reset options on one line."""
    return ", ".join(f"{key}={value}" for key, value in options.items()) or "default"
